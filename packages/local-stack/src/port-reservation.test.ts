import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from './port-reservation';

const minute = 60_000;

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'aosc-ports-')), 'made when it is needed');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

test('a port is given once, and again when its time is over', async () => {
  expect(await reservePort(folder, 20_001)).toBe(true);
  expect(await reservePort(folder, 20_001)).toBe(false);
  expect(await reservePort(folder, 20_002)).toBe(true);
  expect(await reservePort(folder, 20_001, Date.now() + 9 * minute)).toBe(false);
  expect(await reservePort(folder, 20_001, Date.now() + 11 * minute)).toBe(true);
  expect(await reservePort(folder, 20_001)).toBe(false);
  expect(await readdir(folder)).toEqual(['20001', '20002']);
});

test('of many who ask at once one gets it', async () => {
  const given = await Promise.all(Array.from({ length: 20 }, () => reservePort(folder, 20_001)));
  expect(given.filter(Boolean)).toHaveLength(1);
});
