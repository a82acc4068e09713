import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hasCode } from './error-code';
import { waitUntil } from './wait-until';

export interface LockOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `action` while no other process on this machine runs an action under the same path; the lock of a dead process
 * is broken. It saves double work only: two processes that break the same lock in the same instant may both go on, so
 * what is done under it must stay right then (write aside, then rename).
 */
export async function withFileLock<T>(
  path: string,
  options: LockOptions,
  action: () => Promise<T>,
): Promise<T> {
  await waitUntil(() => take(path), {
    what: `the lock ${path}`,
    timeoutMs: options.timeoutMs,
    endedBy: [options.signal],
  });
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  const mine = `${path}.${randomUUID()}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, path); // fails when it exists, and the file never is without its content
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    await breakWhenDead(path);
    return false;
  } finally {
    await rm(mine, { force: true });
  }
}

async function breakWhenDead(path: string): Promise<void> {
  try {
    if (isAlive(Number(await readFile(path, 'utf8')))) return;
    const aside = `${path}.${randomUUID()}`;
    await rename(path, aside);
    await rm(aside);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error; // released or broken by another one meanwhile
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
