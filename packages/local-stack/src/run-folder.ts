import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder';
import { canEnter, type RunAs } from './run-as';
import { guardFolder, releaseFolder } from './watchdog';

/** The folder of one stack: data, configuration and logs, removed at the end of this process at the latest. */
export interface RunFolder {
  readonly path: string;
  readonly logs: string;
  /** A folder below `path` that the servers' user owns. */
  make(...names: readonly string[]): string;
  /** Gives the servers' user what was copied to a place below `path`. */
  own(place: string): void;
  remove(): Promise<void>;
}

const keptFailures = 5;

export async function createRunFolder(runAs: RunAs | undefined): Promise<RunFolder> {
  const path = await mkdtemp(join(temporaryFolder(runAs), 'aosc-stack-'));
  await guardFolder(path);
  const make = (...names: readonly string[]): string => {
    const folder = join(path, ...names);
    mkdirSync(folder, { recursive: true });
    if (runAs !== undefined) chownSync(folder, runAs.uid, runAs.gid);
    return folder;
  };
  await chmod(path, 0o755);
  return {
    path,
    logs: make('logs'),
    make,
    own(place) {
      if (runAs === undefined) return;
      const below = readdirSync(place, { recursive: true, encoding: 'utf8' });
      for (const name of ['.', ...below]) chownSync(join(place, name), runAs.uid, runAs.gid);
    },
    async remove() {
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
      await releaseFolder(path);
    },
  };
}

function temporaryFolder(runAs: RunAs | undefined): string {
  const folder = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canEnter(candidate, runAs));
  if (folder === undefined)
    throw new Error('No temporary folder that the servers could enter: set TMPDIR to one');
  return folder;
}

/**
 * Saves the logs of a stack that failed to start from the removal of its folder; the last few failures are kept.
 * @returns where they are
 */
export async function keepLogs(folder: RunFolder, env: NodeJS.ProcessEnv): Promise<string> {
  const failures = join(cacheFolder(env), 'failures');
  const kept = join(failures, `${new Date().toISOString().replace(/[:.]/g, '-')}-${process.pid}`);
  await mkdir(failures, { recursive: true });
  await cp(folder.logs, kept, { recursive: true });
  const older = (await readdir(failures)).sort().slice(0, -keptFailures);
  await Promise.all(older.map((name) => rm(join(failures, name), { recursive: true, force: true })));
  return kept;
}
