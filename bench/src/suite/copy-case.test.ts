import { fromAosc, fromReindex } from './copy-case';

test('a _reindex is its copy, and AOSC has a copy of its own', () => {
  const reindex = fromReindex({
    kind: 'reindex',
    round: 2,
    size: 1000,
    clusterCpuSeconds: 9,
    elapsedMs: 2000,
    docsPerSecond: 50,
  });
  expect(reindex).toMatchObject({ contestant: '_reindex 1000', round: 2, clusterCpuSeconds: 9 });
  expect([reindex.copyMs, reindex.endToEndMs]).toEqual([2000, 2000]);
  expect([reindex.copyDocsPerSecond, reindex.endToEndDocsPerSecond]).toEqual([50, 50]);
  const aosc = fromAosc({
    kind: 'aosc',
    round: 1,
    clusterCpuSeconds: 8,
    backfillMs: 1000,
    backfillDocsPerSecond: 100,
    convergedMs: 3000,
    convergedDocsPerSecond: 33,
    endToEndMs: 4000,
    endToEndDocsPerSecond: 25,
    cutoverMs: 1,
    foreseen: undefined,
    verified: undefined,
    bulkRetries: 0,
    cpuSeconds: { worker: 1, scheduler: 2, api: 3 },
    peakBytes: undefined,
  });
  expect(aosc).toMatchObject({
    contestant: 'AOSC',
    copyDocsPerSecond: 100,
    endToEndDocsPerSecond: 25,
    cpuSeconds: { worker: 1, scheduler: 2, api: 3 },
    peakBytes: undefined,
  });
});
