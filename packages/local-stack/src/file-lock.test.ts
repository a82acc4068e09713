import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aosc-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

const options = { timeoutMs: 20_000 };

test('two holders never run at the same time, and nothing is left behind', async () => {
  let inside = 0;
  const seen: number[] = [];
  const action = async () => {
    inside += 1;
    await readdir(folder);
    seen.push(inside);
    inside -= 1;
  };
  const lock = join(folder, 'lock');
  await Promise.all([1, 2, 3].map(() => withFileLock(lock, options, action)));
  expect(seen).toEqual([1, 1, 1]);
  expect(await readdir(folder)).toEqual([]);
});

test('the lock of a dead process is broken', async () => {
  const { pid } = spawnSync('true');
  await writeFile(join(folder, 'lock'), String(pid));
  await expect(withFileLock(join(folder, 'lock'), options, () => Promise.resolve('done'))).resolves.toBe(
    'done',
  );
});

test('the lock of a living process is waited for until the signal ends the wait', async () => {
  await writeFile(join(folder, 'lock'), String(process.pid));
  const action = jest.fn();
  const signal = AbortSignal.abort(new Error('told to stop'));
  await expect(withFileLock(join(folder, 'lock'), { ...options, signal }, action)).rejects.toThrow(
    'told to stop',
  );
  expect(action).not.toHaveBeenCalled();
});

test('the lock is released when the action fails', async () => {
  const lock = join(folder, 'lock');
  const failing = () => Promise.reject(new Error('no luck'));
  await expect(withFileLock(lock, options, failing)).rejects.toThrow('no luck');
  expect(await readdir(folder)).toEqual([]);
});
