import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReleaseRefused } from './arguments';
import type { Project } from './project';

/** A part of a release: how it is made, or why it is left out. */
export type Part =
  | { readonly what: string; readonly commands: readonly (readonly [string, ...string[]])[] }
  | { readonly what: string; readonly leftOut: string };

/** Whether a program can be used here. */
export type IsUsable = (command: string, ...probe: readonly string[]) => boolean;

/** @param folder where the parts go, in the project */
export function planParts(
  project: Project,
  version: string,
  folder: string,
  isUsable: IsUsable,
): readonly Part[] {
  return [
    ...project.workspaces
      .filter(({ isPublic }) => isPublic)
      .map(({ name, path }) => packPart(name, path, folder)),
    commandLinePart(project, folder),
    imagePart(version, folder, isUsable),
    chartPart(project, folder, isUsable),
  ].filter((part) => part !== undefined);
}

function packPart(name: string, path: string, folder: string): Part {
  const destination = ['--pack-destination', folder] as const;
  return { what: `npm package ${name}`, commands: [['npm', 'pack', '--workspace', path, ...destination]] };
}

/** Private in the project: npm would pack it without the packages that no registry has. */
function commandLinePart({ workspaces }: Project, folder: string): Part | undefined {
  const cli = workspaces.find(({ path }) => path === 'apps/cli');
  if (cli === undefined) return undefined;
  return { what: `npm package ${cli.name}`, commands: [['node', 'scripts/pack-command-line.mjs', folder]] };
}

function imagePart(version: string, folder: string, isUsable: IsUsable): Part {
  const what = `image aosc:${version}`;
  const engine = ['docker', 'podman'].find((command) => isUsable(command, 'info'));
  if (engine === undefined) return { what, leftOut: 'neither docker nor podman answers here' };
  const tag = `aosc:${version}`;
  return {
    what,
    commands: [
      [engine, 'build', '--file', 'docker/Dockerfile', '--tag', tag, '.'],
      [engine, 'save', '--output', join(folder, `aosc-image-${version}.tar`), tag],
    ],
  };
}

function chartPart({ chart }: Project, folder: string, isUsable: IsUsable): Part {
  const what = 'Helm chart';
  if (chart === undefined) return { what, leftOut: 'the project has none' };
  if (!isUsable('helm', 'version')) return { what, leftOut: 'helm is not installed here' };
  return { what, commands: [['helm', 'package', chart, '--destination', folder]] };
}

export const canRun: IsUsable = (command, ...probe) =>
  spawnSync(command, probe, { stdio: 'ignore', timeout: 30_000 }).status === 0;

/** @throws ReleaseRefused when the command fails */
export function runCommand(root: string, [command, ...args]: readonly [string, ...string[]]): void {
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) return;
  const why = error?.message ?? (signal === null ? `exit code ${String(status)}` : `ended by ${signal}`);
  throw new ReleaseRefused(`${[command, ...args].join(' ')} failed (${why})`);
}

/** Makes the parts that can be made, and the list of their checksums. @returns the names of the files */
export function makeParts(root: string, folder: string, parts: readonly Part[]): readonly string[] {
  const absolute = join(root, folder);
  rmSync(absolute, { recursive: true, force: true });
  mkdirSync(absolute, { recursive: true });
  for (const part of parts)
    if ('commands' in part) for (const command of part.commands) runCommand(root, command);
  const names = readdirSync(absolute).sort();
  const lines = names.map((name) => `${sha256(readFileSync(join(absolute, name)))}  ${name}\n`);
  writeFileSync(join(absolute, 'SHA256SUMS'), lines.join(''));
  return [...names, 'SHA256SUMS'];
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
