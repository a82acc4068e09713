import {
  evaluatePermits,
  type LimitChange,
  mostShards,
  type PermitSample,
  type PermitSeries,
} from './evaluate-permits';

const settleMs = 100;
const overlapMs = 1000;

const limit = (at: number, value: number): LimitChange => ({
  limit: value,
  sentAt: at,
  acknowledgedAt: at + 10,
});

/** A hold is written as shard and epoch: `3/1`. */
const sample = (at: number, holds: readonly string[], node = 'a'): PermitSample => ({
  node,
  from: at,
  to: at + 5,
  holds: holds.map((id) => ({ shard: Number.parseInt(id, 10), id })),
});

const series = (parts: Partial<PermitSeries>): PermitSeries => ({
  limits: [limit(-1000, 2)],
  samples: [],
  losses: [],
  settleMs,
  overlapMs,
  ...parts,
});

test('as many shards as the limit are right, on each node', () => {
  const samples = [sample(0, ['0/1', '1/1'], 'a'), sample(1, ['2/1', '3/1'], 'b'), sample(20, [])];
  expect(evaluatePermits(series({ samples }))).toEqual([]);
});

test('one more is found, and named', () => {
  const samples = [sample(0, ['0/1', '1/1']), sample(20, ['0/1', '1/1', '2/1'])];
  expect(evaluatePermits(series({ samples }))).toEqual([
    'a at 20: 3 shards (0/1, 1/1, 2/1), the youngest begun at 20 under a limit of 2',
  ]);
});

test('a shard that two jobs read at once counts once', () => {
  const samples = [sample(0, ['0/1', '0/2', '1/1'])];
  expect(evaluatePermits(series({ samples }))).toEqual([]);
});

describe('a limit that falls', () => {
  const limits = [limit(-1000, 3), limit(100, 1)];
  const held = ['0/1', '1/1', '2/1'];

  test('lets go what was begun before, however long that takes', () => {
    const samples = [sample(0, held), sample(500, held), sample(60_000, ['0/1', '2/1'])];
    expect(evaluatePermits(series({ limits, samples }))).toEqual([]);
  });

  test('lets go what another look has seen before', () => {
    const samples = [sample(400, ['0/1', '1/1'])];
    const otherLooks = [sample(0, ['0/1', '1/1'])];
    expect(evaluatePermits(series({ limits, samples, otherLooks }))).toEqual([]);
    expect(evaluatePermits(series({ limits, samples, otherLooks: [sample(0, ['0/1'])] }))).toHaveLength(1);
  });

  test('may be unknown for a while', () => {
    const samples = [sample(0, ['0/1', '1/1']), sample(205, held)];
    expect(evaluatePermits(series({ limits, samples }))).toEqual([]);
  });

  test.each([
    ['one more', ['0/1', '1/1', '2/1', '3/1']],
    ['one in the place of another', ['0/1', '1/1', '3/1']],
    ['a shard that was taken over', ['0/1', '1/2']],
  ])('lets nothing begin above it: %s', (_, holds) => {
    const samples = [sample(0, held), sample(400, holds)];
    expect(evaluatePermits(series({ limits, samples }))).toHaveLength(1);
  });

  test('lets the next one begin when it has room', () => {
    const samples = [sample(0, held), sample(400, ['0/1']), sample(500, ['3/1'])];
    expect(evaluatePermits(series({ limits, samples }))).toEqual([]);
  });
});

test('a higher limit that comes later excuses nothing that was begun before it', () => {
  const limits = [limit(-1000, 1), limit(1000, 5)];
  const samples = [sample(0, ['0/1', '1/1']), sample(2000, ['0/1', '1/1'])];
  expect(evaluatePermits(series({ limits, samples }))).toHaveLength(2);
});

test('a higher limit may be used from the moment it is sent', () => {
  const limits = [limit(-1000, 1), limit(1000, 2)];
  const samples = [sample(996, ['0/1', '1/1'])];
  expect(evaluatePermits(series({ limits, samples }))).toEqual([]);
});

test('0 allows nothing', () => {
  const limits = [limit(-1000, 0)];
  expect(evaluatePermits(series({ limits, samples: [sample(0, [])] }))).toEqual([]);
  expect(evaluatePermits(series({ limits, samples: [sample(0, ['4/1'])] }))).toHaveLength(1);
});

describe('a worker that was lost', () => {
  const losses = [{ at: 100, holdIds: new Set(['0/1']) }];
  const limits = [limit(-1000, 1)];

  test('may overlap with the next one for the time of a request', () => {
    const samples = [sample(0, ['0/1']), sample(400, ['0/1', '1/1'])];
    expect(evaluatePermits(series({ limits, losses, samples }))).toEqual([]);
  });

  test('may not do so for longer', () => {
    const samples = [sample(0, ['0/1']), sample(400, ['0/1', '1/1']), sample(1200, ['0/1', '1/1'])];
    expect(evaluatePermits(series({ limits, losses, samples }))).toHaveLength(1);
  });

  test('may not do so before', () => {
    const samples = [sample(50, ['0/1', '1/1'])];
    expect(evaluatePermits(series({ limits, losses, samples }))).toHaveLength(1);
  });

  test('excuses no other one', () => {
    const samples = [sample(0, ['0/1']), sample(400, ['0/1', '1/1', '2/1'])];
    expect(evaluatePermits(series({ limits, losses, samples }))).toHaveLength(1);
  });
});

test('the most shards of a node are counted in one sample, each shard once', () => {
  expect(mostShards([])).toBe(0);
  expect(mostShards([sample(0, ['0/1', '1/1']), sample(1, ['0/1', '0/2', '1/1', '2/1'])])).toBe(3);
});
