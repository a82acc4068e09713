import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 200;

/**
 * Runs `action` while no other process on this machine runs one under the same path; the lock of a dead process is
 * broken. (The twin of `packages/local-stack/src/file-lock.ts`, which cannot be used before `npm ci` and the build.)
 */
export async function withLock(path, action, onWait = () => undefined) {
  let told = false;
  while (!take(path)) {
    if (!told) onWait();
    told = true;
    await pause(pollMs);
  }
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path); // fails when it exists, and the file never is without its content
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    breakWhenDead(path, `${mine}.dead`);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function breakWhenDead(path, aside) {
  try {
    if (isAlive(Number(readFileSync(path, 'utf8')))) return;
    renameSync(path, aside); // of several that see the dead one, one gets it
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
