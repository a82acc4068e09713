import { predictPauseMs } from './predict-pause';

test('nothing is predicted before a round was measured', () => {
  expect(predictPauseMs({ measured: { refreshMs: 5, requestMs: 5 } }, [{}, {}])).toBeUndefined();
});

test('the longest round, a refresh, and the requests up to the swap', () => {
  const shards = [{ roundMs: 40 }, {}, { roundMs: 120 }];
  expect(predictPauseMs({}, shards)).toBe(120);
  expect(predictPauseMs({ measured: { refreshMs: 30, requestMs: 0 } }, shards)).toBe(150);
  const near = predictPauseMs({ measured: { refreshMs: 0, requestMs: 2 } }, shards) ?? 0;
  const far = predictPauseMs({ measured: { refreshMs: 0, requestMs: 20 } }, shards) ?? 0;
  expect(far - 120).toBe(10 * (near - 120));
});

test('a shard that is level with its source has no round any more', () => {
  const counters = {
    status: 'COMPLETED',
    rounds: 1,
    bulkRetries: 0,
    startTimeMillis: 1,
    currentGap: 0,
  } as const;
  const level = { roundMs: 60_000, convergence: counters };
  const measured = { refreshMs: 30, requestMs: 0 };
  expect(predictPauseMs({ measured }, [level, level])).toBe(30);
  expect(predictPauseMs({ measured }, [level, { roundMs: 120 }])).toBe(150);
  // It may have converged without a round.
  expect(predictPauseMs({ measured }, [{ replay: counters }])).toBe(30);
});
