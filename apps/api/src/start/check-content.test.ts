import { ClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { checkValidationQuery } from './check-content';
import { createDryRuns } from './dry-runs';
import type { StartContext } from './start-context';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const context = {
  source: { index: 'a-1' },
  target: { index: 'a-2' },
  options: { validationQuery: { match_all: {} } },
  call: { signal: new AbortController().signal },
} as unknown as StartContext;

/** Counts that go on until they are told to end. */
function endlessCounts() {
  const running: AbortSignal[] = [];
  const state = {
    count: (_query: unknown, { signal }: { readonly signal: AbortSignal }) => {
      running.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')));
      });
    },
  };
  const inCluster = { looks: [] as string[], running: (): readonly string[] => [] };
  const listSearches = (opaqueId: string) => {
    inCluster.looks.push(opaqueId);
    return Promise.resolve().then(() => ({ running: inCluster.running(), answered: ['node'] }));
  };
  const cluster = { index: () => ({ state }), listSearches } as unknown as ApiDependencies['cluster'];
  const warn = jest.fn();
  const deps = {
    cluster,
    queryRuns: createDryRuns(1000, 'query'),
    newCall: () => ({ signal: new AbortController().signal }),
    now: Date.now,
    logger: { warn } as unknown as ApiDependencies['logger'],
  };
  const startTen = (isLimited: boolean) =>
    Promise.allSettled(
      Array.from({ length: 10 }, () => checkValidationQuery(deps, context, { id: 'ann', isLimited })),
    );
  const startOne = () => checkValidationQuery(deps, context, { id: 'ann', isLimited: true });
  return { running, startTen, startOne, inCluster, warn };
}

test('of one limited credential one query runs at a time, and one that takes too long is ended', async () => {
  const { running, startTen } = endlessCounts();
  const told = startTen(true);
  await jest.advanceTimersByTimeAsync(999);
  expect(running.map(({ aborted }) => aborted)).toEqual([false]);
  await jest.advanceTimersByTimeAsync(10_000);
  const reasons = (await told).map((one) =>
    one.status === 'rejected' ? (one.reason as Error).message : 'done',
  );
  expect(reasons[0]).toContain('the counts were not done within 1000 ms');
  expect(reasons.at(-1)).toContain('Another validation_query is being tried out');
  expect(running.every(({ aborted }) => aborted)).toBe(true);
});

test('queries of those who may give scripts as well wait for nobody', async () => {
  const { running, startTen } = endlessCounts();
  void startTen(false);
  await jest.advanceTimersByTimeAsync(0);
  expect(running).toHaveLength(10);
});

test('one that was cancelled keeps its place until the cluster knows it no more', async () => {
  const { running, startOne, inCluster, warn } = endlessCounts();
  inCluster.running = () => ['node:1'];
  const first = expect(startOne()).rejects.toThrow('not done within 1000 ms');
  await jest.advanceTimersByTimeAsync(1_000);
  await first;
  const second = expect(startOne()).rejects.toMatchObject({ code: 'rate_limited' });
  await jest.advanceTimersByTimeAsync(60_000);
  await second;
  expect(running).toHaveLength(1);
  expect(new Set(inCluster.looks).size).toBe(1);
  expect(inCluster.looks[0]).toMatch(/^aosc-api-query-[0-9a-f]{32}$/);
  inCluster.running = () => [];
  await jest.advanceTimersByTimeAsync(1_000);
  const third = startOne().catch(() => undefined);
  await jest.advanceTimersByTimeAsync(0);
  expect(running).toHaveLength(2);
  expect(warn).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1_000);
  await third;
});

test('one that runs on keeps its place as long as it does, and the log tells', async () => {
  const { running, startOne, inCluster, warn } = endlessCounts();
  inCluster.running = () => ['node:1'];
  const first = expect(startOne()).rejects.toThrow('not done within 1000 ms');
  await jest.advanceTimersByTimeAsync(25 * 60_000);
  await first;
  expect(warn.mock.calls.map(([, fields]: unknown[]) => fields)).toEqual([
    expect.objectContaining({ event: 'query_runs_on' }),
    expect.objectContaining({ event: 'query_runs_on' }),
  ]);
  const second = expect(startOne()).rejects.toMatchObject({ code: 'rate_limited' });
  await jest.advanceTimersByTimeAsync(60_000);
  await second;
  expect(running).toHaveLength(1);
  inCluster.running = () => [];
  await jest.advanceTimersByTimeAsync(1_000);
  const third = startOne().catch(() => undefined);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(running).toHaveLength(2);
  await third;
});

test.each([
  ['may not be looked for', 60_000, new ClusterError('forbidden', 'no permissions')],
  ['can not be looked for', 10 * 60_000, new ClusterError('transient', 'no answer')],
])('one that %s is given up after %d ms, which is logged', async (_, ms, failure) => {
  const { running, startOne, inCluster, warn } = endlessCounts();
  inCluster.running = () => {
    throw failure;
  };
  const first = expect(startOne()).rejects.toThrow('not done within 1000 ms');
  await jest.advanceTimersByTimeAsync(ms - 5_000);
  await first;
  expect(warn).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(warn).toHaveBeenCalledTimes(1);
  const next = startOne().catch(() => undefined);
  await jest.advanceTimersByTimeAsync(0);
  expect(running).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(1_000);
  await next;
});

test('a query that the cluster breaks at is refused, where the index answers without it', async () => {
  const broken = new ClusterError('transient', 'POST answered 500 date_time_exception: Year', {
    status: 500,
    type: 'search_phase_execution_exception',
  });
  const asked: unknown[] = [];
  const checkWith = (counts: (query: unknown) => Promise<number>) => {
    const state = { count: (query: unknown) => (asked.push(query), counts(query)) };
    const cluster = { index: () => ({ state }) } as unknown as ApiDependencies['cluster'];
    const deps = { cluster } as unknown as ApiDependencies;
    return checkValidationQuery(deps, context, { id: 'ann', isLimited: false });
  };
  await expect(
    checkWith((query) => (query === undefined ? Promise.resolve(1) : Promise.reject(broken))),
  ).rejects.toMatchObject({ code: 'illegal_argument', cause: broken });
  expect(asked).toEqual([{ match_all: {} }, undefined, { match_all: {} }]);
  let times = 0;
  await expect(
    checkWith((query) =>
      query !== undefined && times++ === 0 ? Promise.reject(broken) : Promise.resolve(1),
    ),
  ).rejects.toBe(broken);
  await expect(checkWith(() => Promise.reject(broken))).rejects.toBe(broken);
});
