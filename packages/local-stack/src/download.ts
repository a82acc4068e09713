import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { timeLimit } from '@aosc/signals';
import { startChild } from './child';
import { logTail } from './log-tail';
import { requireCommand } from './requirements';
import { type OnProgress } from './step-progress';
import { type Artifact, fileNameOf, knownBytes, knownSha256 } from './versions';

const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
const downloadTimeoutMs = 15 * 60_000;
const sizeIntervalMs = 1000;

export interface DownloadOptions {
  readonly artifact: Artifact;
  /** A fresh folder; its contents are of no use afterwards. */
  readonly workFolder: string;
  /** Where it goes. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly onProgress: OnProgress;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches an archive with Maven into a repository of its own, so that nothing half-done by another Maven is
 * used and no second copy stays in the user's, checks it, and only then gives it its name.
 * @throws Error with the end of Maven's output
 */
export async function downloadArchive(options: DownloadOptions): Promise<void> {
  const { artifact, workFolder, file, env, log, onProgress, signal } = options;
  const { group, name, version, packaging } = artifact;
  const maven = await requireCommand('mvn', 'maven', env, log);
  log(`downloading ${fileNameOf(artifact)} (up to 160 MB, once)`);
  await mkdir(workFolder, { recursive: true });
  const repository = join(workFolder, 'repository');
  const coordinates = `${group}:${name}:${version}:${packaging}`;
  const child = await startChild({
    name: 'Maven',
    command: maven,
    args: [
      '-B',
      '-ntp',
      `-Dmaven.repo.local=${repository}`,
      `${plugin}:get`,
      `-Dartifact=${coordinates}`,
      '-Dtransitive=false',
    ],
    env,
    cwd: workFolder,
    logFile: join(workFolder, 'maven.log'),
  });
  const ended = timeLimit(downloadTimeoutMs, ...(signal ? [signal] : []));
  ended.addEventListener('abort', () => child.signal('SIGKILL'));
  const folder = join(repository, ...group.split('.'), name, version);
  const stopReports = reportSize(folder, (done) =>
    onProgress({
      what: `downloading ${fileNameOf(artifact)}`,
      done,
      total: knownBytes[fileNameOf(artifact)],
      unit: 'bytes',
    }),
  );
  const { code } = await child.waitForExit().finally(stopReports);
  signal?.throwIfAborted();
  if (code !== 0) throw new Error(`Maven could not fetch ${coordinates}${logTail(child.logFile)}`);
  const got = join(folder, fileNameOf(artifact));
  await keepWhenSound(got, file, artifact);
}

/** Maven does not report its progress, but the file that it writes grows. @returns what ends the reports */
function reportSize(folder: string, report: (bytes: number) => void): () => void {
  const timer = setInterval(() => {
    largestFile(folder).then(report, () => undefined); // the file is not there yet, or has been renamed
  }, sizeIntervalMs);
  return () => clearInterval(timer);
}

async function largestFile(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return Math.max(0, ...sizes);
}

async function keepWhenSound(fetched: string, file: string, artifact: Artifact): Promise<void> {
  if (!(await hasKnownChecksum(fetched, artifact))) {
    throw new Error(
      `The download of ${fileNameOf(artifact)} has another SHA-256 than expected; nothing was kept`,
    );
  }
  await rename(fetched, file);
}

/** Whether the file is the one this project was tried with; true for one whose checksum is not known. */
export async function hasKnownChecksum(file: string, artifact: Artifact): Promise<boolean> {
  const expected = knownSha256[fileNameOf(artifact)];
  if (expected === undefined) return true;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex') === expected;
}
