import type { ShardFlow, ShardRecord } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { ThroughputMeter } from './throughput-meter';
import { describeRate, withProgressFigures } from './live-progress';

const fresh = newShardRecord('k', 0, 0);
const flow: ShardFlow = {
  controller: 'fixed',
  targetBytes: 1,
  maxDocs: 1,
  concurrency: 1,
  pageSize: 1,
  pauses: 0,
};
const owned: ShardRecord = {
  ...fresh,
  writer: { ...fresh.writer, owner: 'me' },
  progress: { totalDocuments: 10 },
};
const figures = { flow, progress: { documentsPerSecond: 5, bytesPerSecond: 50 } };

test('the figures of the moment take the place of those before', () => {
  const first = withProgressFigures(owned, {
    ...figures,
    progress: { ...figures.progress, remainingSeconds: 9 },
  });
  expect(first.progress).toMatchObject({ remainingSeconds: 9 });
  const next = withProgressFigures(first, figures);
  expect(next).toEqual({ ...owned, flow, progress: { totalDocuments: 10, ...figures.progress } });
});

test('a shard that is handed back keeps its number of documents alone', () => {
  const { owner: _nobody, ...writer } = owned.writer;
  const shown = withProgressFigures(owned, figures);
  expect(withProgressFigures({ ...shown, writer }, figures)).toEqual({ ...owned, writer });
});

test('before the first snapshot is open no progress is shown; a replay shows its flow alone', () => {
  const { progress: _none, ...before } = owned;
  expect(withProgressFigures(before, figures)).toEqual({ ...before, flow });
  expect(withProgressFigures(owned, { flow, progress: undefined })).toEqual({ ...owned, flow });
});

test('rates are whole numbers, and the time left is shown as soon as there is a rate', () => {
  let now = 0;
  const meter = new ThroughputMeter({ monotonic: () => now });
  expect(describeRate(meter, 100)).toEqual({});
  now = 3000;
  expect(describeRate(meter, 100)).toEqual({ documentsPerSecond: 0, bytesPerSecond: 0 });
  meter.add(1000, 5000);
  now = 6000;
  const rate = describeRate(meter, 100);
  expect(rate.documentsPerSecond).toBeGreaterThan(0);
  expect(Number.isInteger(rate.documentsPerSecond) && Number.isInteger(rate.bytesPerSecond)).toBe(true);
  expect(rate.remainingSeconds).toBeGreaterThan(0);
});
