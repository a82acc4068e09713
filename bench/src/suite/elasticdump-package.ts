import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@aosc/local-stack';

const version = '6.125.1';
const patienceMs = 10 * 60_000;

/** What a case needs is not to be had on this machine now; the message says why. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}

/** What installs a package into a folder; another one in tests. @throws when it can't */
export type Install = (folder: string, spec: string, signal: AbortSignal) => Promise<void>;

/**
 * Installs elasticdump into the cache folder when it is not there: it is no dependency of the project, which only
 * measures beside it.
 * @returns path of its program, for Node
 * @throws {NotRunError} when it can't be installed
 */
export async function provideElasticdump(
  say: (line: string) => void,
  signal: AbortSignal,
  install: Install = installWithNpm,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const folder = join(cacheFolder(env), 'elasticdump', version);
  const program = join('node_modules', 'elasticdump', 'bin', 'elasticdump');
  if (existsSync(join(folder, program))) return join(folder, program);
  say(`Installing elasticdump ${version}, once`);
  mkdirSync(dirname(folder), { recursive: true });
  // Aside first, so that what has the name is whole.
  const work = mkdtempSync(`${folder}-`);
  try {
    await install(work, `elasticdump@${version}`, signal);
    if (!existsSync(join(work, program))) throw new Error(`the package has no ${program}`);
    renameSync(work, folder);
  } catch (error) {
    signal.throwIfAborted();
    // Another process may have been faster.
    if (!existsSync(join(folder, program))) {
      throw new NotRunError(`elasticdump ${version} can't be installed: ${lastLineOf(error)}`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(folder, program);
}

/** Without scripts: nothing of a foreign package runs before it is measured. */
async function installWithNpm(folder: string, spec: string, signal: AbortSignal): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', '--ignore-scripts'];
  await promisify(execFile)('npm', ['install', ...quiet, '--prefix', folder, spec], {
    signal,
    timeout: patienceMs,
  });
}

/** What npm has to say stands in its last lines; the first of them names the command. */
function lastLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').slice(-2).join(' ');
}
