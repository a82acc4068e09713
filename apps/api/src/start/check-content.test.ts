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
  const cluster = { index: () => ({ state }) } as unknown as ApiDependencies['cluster'];
  const deps = { cluster, queryRuns: createDryRuns(1000, 'query') };
  const startTen = (isLimited: boolean) =>
    Promise.allSettled(
      Array.from({ length: 10 }, () => checkValidationQuery(deps, context, { id: 'ann', isLimited })),
    );
  return { running, startTen };
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
