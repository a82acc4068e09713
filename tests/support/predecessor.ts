import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@aosc/local-stack';
import type { Build } from '@aosc/stack';

const run = promisify(execFile);
const root = join(__dirname, '../..');

/**
 * The version before while there is no tag: the last commit before 0c05b07. That one has changed what the record of a
 * migration says most: why it ends and who has cleared it became fields of their own (`reason`, `clearings`), which
 * this commit drops when it writes. It knows neither timelines nor rests of converged shards.
 */
const untagged = '846fc8837778e95b3ee5d9dd2f10ecf286c18925';

/** Variables that came later: a process refuses to start with an unknown one. */
const laterVariables = { AOSC_CONVERGED_REST_MS: undefined } as const;

export type Predecessor =
  | { readonly type: 'found'; readonly commit: string; readonly name: string }
  /** why there is none in this checkout */
  | { readonly type: 'missing'; readonly reason: string };

/** The version before this one: the last release that this commit comes from, or else a commit that stands for one. */
export function findPredecessor(): Predecessor {
  const tag = git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^');
  const name = tag ?? untagged;
  const commit = git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  if (commit !== undefined) return { type: 'found', commit, name };
  const isShallow = git('rev-parse', '--is-shallow-repository') === 'true';
  const why = isShallow ? 'this clone is shallow' : 'this is no clone of the whole repository';
  return { type: 'missing', reason: `no release is tagged, and ${name.slice(0, 7)} is not there: ${why}` };
}

/** @returns undefined when git refuses, or is not there */
function git(...args: readonly string[]): string | undefined {
  try {
    const told = execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    return told.toString().trim();
  } catch {
    return undefined;
  }
}

/**
 * The processes of that commit, built as the image builds them, in the cache folder: once for all runs.
 * @throws what npm or the compiler says
 */
export async function buildPredecessor(commit: string): Promise<Build> {
  const builds = join(cacheFolder(process.env), 'predecessors');
  const folder = join(builds, commit);
  if (!existsSync(folder)) {
    await mkdir(builds, { recursive: true });
    const aside = await mkdtemp(join(builds, 'making-'));
    try {
      await make(commit, aside);
      await rename(aside, folder);
    } catch (error) {
      await rm(aside, { recursive: true, force: true });
      // Another test run may have been faster.
      if (!existsSync(folder)) throw error;
    }
  }
  return { apps: join(folder, 'apps'), env: laterVariables };
}

async function make(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'source.tar');
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: root });
  await run('tar', ['-xf', archive], { cwd: folder });
  await rm(archive);
  // With the variables that npm sets for its scripts, it would work on this project instead.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/i.test(name)),
  );
  await run('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: folder,
    env,
  });
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const apps = ['apps/api', 'apps/worker', 'apps/scheduler'];
  await run(process.execPath, [compiler, '-b', ...apps], { cwd: folder, env });
}
