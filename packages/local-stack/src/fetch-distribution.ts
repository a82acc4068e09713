import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, unpackFolder } from './cache-folder';
import { downloadDistribution, hasKnownChecksum } from './download';
import { withFileLock } from './file-lock';
import { type RunAs } from './run-as';
import { unzip } from './unzip';
import { guardFolder, releaseFolder } from './watchdog';

export interface DistributionOptions {
  readonly version: string;
  readonly runAs: RunAs | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A download and an unpacking by another process may come before ours. */
const lockTimeoutMs = 20 * 60_000;

/**
 * The folder of an unpacked OpenSearch: downloaded, checked and unpacked unless it is there already. Everything is
 * written aside and gets its name by a rename at the end, so what has the name is whole; any number of processes
 * may ask at the same time.
 */
export async function fetchDistribution(options: DistributionOptions): Promise<string> {
  const cache = cacheFolder(options.env);
  const name = `opensearch-${options.version}`;
  await mkdir(cache, { recursive: true });
  const home = join(unpackFolder(cache, options.runAs), name);
  if (isWhole(home, options.version)) return home;
  const lock = join(cache, `${name}.lock`);
  await withFileLock(lock, { timeoutMs: lockTimeoutMs, signal: options.signal }, async () => {
    if (isWhole(home, options.version)) return;
    const zipFile = join(cache, `${name}.zip`);
    await inWorkFolder(cache, (workFolder) => provideZip(zipFile, workFolder, options));
    await inWorkFolder(join(home, '..'), (workFolder) => unpack(zipFile, workFolder, home, options));
  });
  return home;
}

async function provideZip(zipFile: string, workFolder: string, options: DistributionOptions): Promise<void> {
  if (existsSync(zipFile) && (await hasKnownChecksum(zipFile, options.version))) return;
  await downloadDistribution({ ...options, workFolder, zipFile });
}

async function unpack(
  zipFile: string,
  workFolder: string,
  home: string,
  { version, log, signal }: DistributionOptions,
): Promise<void> {
  log(`unpacking OpenSearch ${version} into ${home}`);
  const unpacked = join(workFolder, `opensearch-${version}`);
  try {
    await unzip(zipFile, workFolder, signal);
    if (!isWhole(unpacked, version)) throw new Error('files that a distribution has are missing in it');
  } catch (error) {
    signal?.throwIfAborted();
    await rm(zipFile, { force: true }); // the next start downloads it again
    throw new Error(`The distribution ${zipFile} cannot be used and was removed`, { cause: error });
  }
  await rm(home, { recursive: true, force: true }); // not whole: somebody deleted files in it
  await rename(unpacked, home);
}

/** Whether the parts are there without which no node starts. */
function isWhole(home: string, version: string): boolean {
  const needed = [
    'bin/opensearch',
    'config/jvm.options',
    `lib/opensearch-${version}.jar`,
    'modules/transport-netty4/plugin-descriptor.properties',
  ];
  return needed.every((path) => existsSync(join(home, path)));
}

async function inWorkFolder(parent: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(parent, 'tmp-'));
  await guardFolder(folder);
  try {
    await chmod(folder, 0o755);
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await releaseFolder(folder);
  }
}
