import { mkdir, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './error-code';

/** On a busy machine a server may take minutes until it listens on the port it was given. */
const reservedMs = 10 * 60_000;

/**
 * Reserves a port among all processes that use this folder, until ten minutes have passed: a port that nothing listens
 * on yet may be the choice of another process, whose server has not come so far. Two processes that find the same old
 * reservation at the same moment may both get it; of 12,000 ports that is rare enough.
 * @param folder one small file for each port is left in it
 * @returns false: another process has it
 */
export async function reservePort(folder: string, port: number, now = Date.now()): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, String(port));
  if (await create(path)) return true;
  const made = await stat(path).catch(unlessMissing);
  if (made !== undefined && now - made.mtimeMs < reservedMs) return false;
  await unlink(path).catch(unlessMissing);
  return create(path);
}

async function create(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
