import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Install, NotRunError, provideElasticdump } from './elasticdump-package';

const never = new AbortController().signal;
const quiet = (): void => undefined;
let cache: string;
beforeEach(() => (cache = mkdtempSync(join(tmpdir(), 'aosc-elasticdump-'))));
afterEach(() => rmSync(cache, { recursive: true }));

function install(log: string[]): Install {
  return (folder, spec) => {
    log.push(spec);
    mkdirSync(join(folder, 'node_modules/elasticdump/bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/elasticdump/bin/elasticdump'), '');
    return Promise.resolve();
  };
}

const provide = (by: Install): Promise<string> =>
  provideElasticdump(quiet, never, by, { AOSC_CACHE_DIR: cache });

test('it is installed once, in a version that is named', async () => {
  const log: string[] = [];
  const program = await provide(install(log));
  expect(existsSync(program)).toBe(true);
  expect(await provide(install(log))).toBe(program);
  expect(log).toEqual([expect.stringMatching(/^elasticdump@\d+\.\d+\.\d+$/)]);
});

test('what can not be installed is not run, says why, and leaves nothing behind', async () => {
  const broken = provide(() => Promise.reject(new Error('Command failed: npm install\nnpm error network')));
  await expect(broken).rejects.toThrow(NotRunError);
  await expect(broken).rejects.toThrow('npm error network');
  const empty = provide(() => Promise.resolve());
  await expect(empty).rejects.toThrow(NotRunError);
  expect(readdirSync(join(cache, 'elasticdump'))).toEqual([]);
});
