import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLines } from './result-lines';
import { runSeries, type Series } from './series';

interface Plan {
  readonly name: string;
  readonly ground: string;
}
interface Servers {
  stop(): Promise<void>;
}
interface Result {
  readonly name: string;
  readonly problems: readonly string[];
}

let folder: string;
let printed: string;
let happened: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'series-'));
  [printed, happened] = ['', []];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    printed += String(line);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const series = (names: readonly string[], parts: Partial<Series<Plan, Servers, Result>> = {}) => ({
  plans: names.map((name) => ({ name, ground: name.slice(0, 1) })),
  groundOf: ({ ground }: Plan) => ground,
  start: ({ ground }: Plan) => {
    happened.push(`start ${ground}`);
    return Promise.resolve({ stop: () => Promise.resolve(void happened.push(`stop ${ground}`)) });
  },
  run: (_: Servers, { name }: Plan) => {
    happened.push(name);
    return Promise.resolve({ name, problems: name.endsWith('!') ? ['a problem'] : [] });
  },
  results: join(folder, 'deeper', 'results.jsonl'),
  describe: ({ name }: Result) => `${name} is over`,
  isOver: () => false,
  ...parts,
});

test('runs of one ground share servers, and each adds its line', async () => {
  const told = series(['a1', 'a2', 'b1']);
  const done = await runSeries(told);
  expect(happened).toEqual(['start a', 'a1', 'a2', 'stop a', 'start b', 'b1', 'stop b']);
  expect(readLines(told.results, (line) => line)).toEqual(done);
});

test('a run that went wrong names its problems and its logs, and its servers serve no other', async () => {
  await runSeries(series(['a1!', 'a2'], { keepLogs: () => Promise.resolve('the logs') }));
  expect(happened).toEqual(['start a', 'a1!', 'stop a', 'start a', 'a2', 'stop a']);
  expect(printed).toContain('a1! is over\n    a problem\n  logs: the logs\n');
  happened = [];
  await runSeries(series(['a1!', 'a2'], { keepsServers: true }));
  expect(happened).toEqual(['start a', 'a1!', 'a2', 'stop a']);
});

test('servers are stopped when a run breaks, and when it is over', async () => {
  await expect(runSeries(series(['a1'], { run: () => Promise.reject(new Error('broken')) }))).rejects.toThrow(
    'broken',
  );
  expect(happened).toEqual(['start a', 'stop a']);
  happened = [];
  await runSeries(series(['a1', 'a2'], { isOver: () => happened.includes('a1') }));
  expect(happened).toEqual(['start a', 'a1', 'stop a']);
});
