import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments, type ReleaseRequest, ReleaseRefused, usage } from './arguments';
import { canRun, makeParts, type Part, planParts, runCommand } from './artifacts';
import { releaseChangelog } from './changelog';
import { type Edit, editFile, planVersion, type Project, readProject } from './project';
import { compareVersions } from './versions';

const checks = [
  ['npm', 'run', 'lint'],
  ['npm', 'run', 'test:all'],
] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function main(): void {
  const request = readArguments(process.argv.slice(2));
  if (request === undefined) {
    say(usage);
    return;
  }
  const { version, isDryRun, isChecked } = request;
  const project = readProject(process.cwd());
  refuseUnless(project, request);
  const changelog = readFileSync(join(project.root, 'CHANGELOG.md'), 'utf8');
  const { text, notes } = releaseChangelog(changelog, version, new Date().toISOString().slice(0, 10));
  const edits = [...planVersion(project, version), editFile(project.root, 'CHANGELOG.md', () => text)];
  const folder = join('dist/release', version);
  const parts = planParts(project, version, folder, canRun);
  if (isDryRun) {
    describe(project, request, { edits, notes, folder, parts });
    return;
  }
  // Without a name for its author the commit would fail after all the work.
  git(project.root, 'var', 'GIT_COMMITTER_IDENT');
  if (!isChecked) for (const command of checks) runCommand(project.root, command);
  // What the checks have built is not in git: the tree is as clean as before, or the checks have changed files.
  refuseChanges(project.root);
  write(project.root, edits, 'after');
  const files = orTakeBack(project.root, edits, () => {
    const made = makeParts(project.root, folder, parts);
    git(project.root, 'add', ...edits.map(({ path }) => path));
    git(project.root, 'commit', '--quiet', '-m', `Release ${version}`, '-m', notes);
    return made;
  });
  git(
    project.root,
    'tag',
    '--annotate',
    `v${version}`,
    '--cleanup=verbatim',
    '-m',
    `${version}\n\n${notes}\n`,
  );
  say(`\nIn ${folder}: ${files.join(', ')}`);
  tellLeftOut(parts);
  say(`Commit and tag v${version} are made. Nothing is pushed or published: git push --follow-tags`);
}

/** When something fails on the way to the commit, the files are as they were: the tree was clean. */
function orTakeBack<T>(root: string, edits: readonly Edit[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    git(root, 'reset', '--quiet');
    write(root, edits, 'before');
    throw error;
  }
}

/** @throws ReleaseRefused */
function refuseUnless({ root, version: current }: Project, { version }: ReleaseRequest): void {
  refuseChanges(root);
  const isTagged = git(root, 'tag', '--list', `v${version}`) !== '';
  if (isTagged) throw new ReleaseRefused(`v${version} is tagged already`);
  if (compareVersions(version, current) < 0) {
    throw new ReleaseRefused(`${version} comes before ${current}, which the project has now`);
  }
}

function refuseChanges(root: string): void {
  const changes = git(root, 'status', '--porcelain');
  if (changes !== '') throw new ReleaseRefused(`The tree is not clean:\n${changes}`);
}

interface Plan {
  readonly edits: readonly Edit[];
  readonly notes: string;
  readonly folder: string;
  readonly parts: readonly Part[];
}

function describe({ version: current }: Project, { version, isChecked }: ReleaseRequest, plan: Plan): void {
  say(`${current} -> ${version}, nothing is changed in this dry run.`);
  say(
    isChecked ? '\nWould run no checks' : `\nWould run\n${list(checks.map((command) => command.join(' ')))}`,
  );
  say(`\nWould change\n${list(plan.edits.map(({ path }) => path))}`);
  const made = plan.parts.flatMap((part) => ('commands' in part ? part.commands : []));
  say(
    `\nWould make in ${plan.folder}\n${list([...made.map((command) => command.join(' ')), 'SHA256SUMS'])}\n`,
  );
  tellLeftOut(plan.parts);
  say(`\nWould commit and tag v${version}, with these notes:\n\n${plan.notes}`);
}

function tellLeftOut(parts: readonly Part[]): void {
  for (const part of parts) if ('leftOut' in part) say(`Left out: ${part.what}: ${part.leftOut}`);
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

function write(root: string, edits: readonly Edit[], side: 'before' | 'after'): void {
  for (const edit of edits) writeFileSync(join(root, edit.path), edit[side]);
}

/** @returns what it prints. @throws ReleaseRefused with what it says when it fails */
function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new ReleaseRefused(`git ${args[0] ?? ''}: ${error?.message ?? stderr.trim()}`);
  return stdout.trimEnd();
}

try {
  main();
} catch (error) {
  console.error(error instanceof ReleaseRefused ? error.message : error);
  process.exitCode = 1;
}
