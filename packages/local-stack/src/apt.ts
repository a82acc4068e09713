import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findOnPath } from './find-on-path';

const run = promisify(execFile);
const installTimeoutMs = 10 * 60_000;

/** RUNLEVEL=1 keeps a package's scripts from starting its service. */
const aptEnv = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C' };
const waitForOthers = ['-o', 'DPkg::Lock::Timeout=300'];

/**
 * Installs the first of `packages` that the distribution has.
 * @returns whether one was installed; false where there is no apt-get, no right to use it, or no such package
 * @throws Error when the installation itself fails
 */
export async function installWithApt(
  packages: readonly string[],
  log: (line: string) => void,
): Promise<boolean> {
  if (process.getuid?.() !== 0 || findOnPath('apt-get', process.env) === undefined) return false;
  const wanted = (await firstAvailable(packages)) ?? (await updateLists(log, packages));
  if (wanted === undefined) return false;
  log(`installing ${wanted} with apt-get`);
  try {
    await apt(['install', '-y', '--no-install-recommends', wanted]);
  } catch (error) {
    throw new Error(`apt-get could not install ${wanted}; install it by hand and try again`, {
      cause: error,
    });
  }
  return true;
}

async function updateLists(
  log: (line: string) => void,
  packages: readonly string[],
): Promise<string | undefined> {
  log('reading the package lists with apt-get update');
  await apt(['update']).catch(() => undefined); // without a network the lists stay as they are
  return firstAvailable(packages);
}

async function firstAvailable(packages: readonly string[]): Promise<string | undefined> {
  for (const name of packages) {
    const { stdout } = await run('apt-cache', ['policy', name], { env: aptEnv });
    if (/^[ \t]*Candidate: (?!\(none\))\S/m.test(stdout)) return name;
  }
  return undefined;
}

async function apt(args: readonly string[]): Promise<void> {
  await run('apt-get', [...waitForOthers, ...args], {
    env: aptEnv,
    timeout: installTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
}
