import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, chooseUnpackFolder, unpackFolder } from './cache-folder';
import { downloadArchive, hasKnownChecksum } from './download';
import { withFileLock } from './file-lock';
import { type RunAs } from './run-as';
import { type OnProgress } from './step-progress';
import { securityPluginDescriptor, unpackSecurityPlugin } from './security-plugin';
import { unzip } from './unzip';
import { type Artifact, collections, distributionOf, securityPluginOf, fileNameOf } from './versions';
import { guardFolder, releaseFolder } from './watchdog';

export interface DistributionOptions {
  readonly version: string;
  /** With the security plugin in it: a copy of its own, the plain one stays as it is. */
  readonly secured: boolean;
  readonly runAs: RunAs | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly onProgress: OnProgress;
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
  const name = nameOf(options);
  await mkdir(cache, { recursive: true });
  const home = join(unpackFolder(cache, options.runAs), name);
  if (isWhole(home, options)) return home;
  const lock = join(cache, `${name}.lock`);
  await withFileLock(lock, { timeoutMs: lockTimeoutMs, signal: options.signal }, async () => {
    if (isWhole(home, options)) return;
    const files: string[] = [];
    for (const artifact of artifactsOf(options)) files.push(await provide(cache, artifact, options));
    await inWorkFolder(join(home, '..'), (workFolder) => unpack(files, workFolder, home, options));
  });
  return home;
}

/** Names of the archives that {@link fetchDistribution} would have to download. */
export function listDownloads(
  options: Omit<DistributionOptions, 'log' | 'onProgress' | 'signal'>,
): readonly string[] {
  const cache = cacheFolder(options.env);
  if (isWhole(join(chooseUnpackFolder(cache, options.runAs), nameOf(options)), options)) return [];
  return artifactsOf(options)
    .map(fileNameOf)
    .filter((name) => !existsSync(join(cache, name)));
}

function artifactsOf({
  version,
  secured,
}: Pick<DistributionOptions, 'version' | 'secured'>): readonly Artifact[] {
  return [distributionOf(version), ...(secured ? [securityPluginOf(version), collections] : [])];
}

/** Two stacks, one of them secured, may want the same archive at the same time. @returns where it is */
async function provide(cache: string, artifact: Artifact, options: DistributionOptions): Promise<string> {
  const file = join(cache, fileNameOf(artifact));
  await withFileLock(`${file}.lock`, { timeoutMs: lockTimeoutMs, signal: options.signal }, async () => {
    if (existsSync(file) && (await hasKnownChecksum(file, artifact))) return;
    await inWorkFolder(cache, (workFolder) => downloadArchive({ ...options, artifact, workFolder, file }));
  });
  return file;
}

/** @param files the distribution; for a secured one then the plugin, and what it lacks */
async function unpack(
  [server = '', plugin, ...lacking]: readonly string[],
  workFolder: string,
  home: string,
  options: DistributionOptions,
): Promise<void> {
  const { version, log, onProgress, signal } = options;
  log(`unpacking OpenSearch ${version} into ${home}`);
  const unpacked = join(workFolder, `opensearch-${version}`);
  try {
    await unzip(server, workFolder, signal, (done, total) =>
      onProgress({ what: `unpacking OpenSearch ${version}`, done, total, unit: 'files' }),
    );
    if (plugin !== undefined) await unpackSecurityPlugin(plugin, lacking, unpacked, signal);
    if (!isWhole(unpacked, options)) throw new Error('files that a distribution has are missing in it');
  } catch (error) {
    signal?.throwIfAborted();
    const used = [server, ...(plugin === undefined ? [] : [plugin])];
    await Promise.all(used.map((file) => rm(file, { force: true }))); // the next start downloads them again
    throw new Error(`${used.join(' and ')} cannot be used and were removed`, { cause: error });
  }
  await rm(home, { recursive: true, force: true }); // not whole: a user deleted files in it
  await rename(unpacked, home);
}

function nameOf({ version, secured }: Pick<DistributionOptions, 'version' | 'secured'>): string {
  return `opensearch-${version}${secured ? '-security' : ''}`;
}

/** Whether the parts are there without which no node starts. */
function isWhole(
  home: string,
  { version, secured }: Pick<DistributionOptions, 'version' | 'secured'>,
): boolean {
  const needed = [
    'bin/opensearch',
    'config/jvm.options',
    `lib/opensearch-${version}.jar`,
    'modules/transport-netty4/plugin-descriptor.properties',
    ...(secured ? [securityPluginDescriptor] : []),
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
