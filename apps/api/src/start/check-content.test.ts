import { ClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { checkValidationQuery, requirePermittedQuery } from './check-content';
import type { StartContext } from './checks';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const context = {
  source: { index: 'a-1' },
  target: { index: 'a-2' },
  options: { validationQuery: { match_all: {} } },
  call: { signal: new AbortController().signal },
} as unknown as StartContext;

/** Counts that go on until their signal fires. */
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
  const check = (isLimited: boolean) => checkValidationQuery({ cluster }, context, { isLimited });
  return { running, check };
}

test('a query of a limited credential that takes too long is ended', async () => {
  const { running, check } = endlessCounts();
  const told = expect(check(true)).rejects.toThrow('the counts were not done within 15000 ms');
  await jest.advanceTimersByTimeAsync(14_999);
  expect(running.map(({ aborted }) => aborted)).toEqual([false]);
  await jest.advanceTimersByTimeAsync(1);
  await told;
  expect(running.map(({ aborted }) => aborted)).toEqual([true]);
});

test('one of those who may give scripts as well has the time of the start', async () => {
  const { running, check } = endlessCounts();
  void check(false);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(running.map(({ aborted }) => aborted)).toEqual([false]);
});

describe('what a query may hold', () => {
  const request = (validation_query: Record<string, unknown>) =>
    ({
      source: 'a-1',
      target: 'a-2',
      alias: 'a',
      script: undefined,
      createTarget: undefined,
      options: { validation_query },
    }) as const;
  const permit = (query: Record<string, unknown>, isLimited: boolean) => () =>
    requirePermittedQuery(request(query), { isLimited });

  test('a credential without limits may use what a limited one may not', () => {
    const query = { match: { title: 'words' } };
    expect(permit(query, true)).toThrow(
      'validation_query failed on index [a-1]: it must not hold [match]: a credential that is limited',
    );
    expect(permit(query, false)).not.toThrow();
    expect(permit({ term: { a: 1 } }, true)).not.toThrow();
  });

  test.each([true, false])('it is kept and shown, so its length is bounded; limited: %s', (isLimited) => {
    const query = { terms: { a: Array.from({ length: 300 }, () => 'x'.repeat(1_000)) } };
    expect(permit(query, isLimited)).toThrow('longer than 262144 characters');
  });
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
    return checkValidationQuery({ cluster }, context, { isLimited: false });
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
