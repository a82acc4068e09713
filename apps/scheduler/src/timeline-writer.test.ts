import { PassThrough } from 'node:stream';
import type { MigrationPhase, TimelineRecord } from '@aosc/contract';
import { ClusterError } from '@aosc/engine';
import { createLogger } from '@aosc/telemetry';
import { exampleMigration } from '@aosc/testkit';
import { createTimelineWriter } from './timeline-writer';

const logger = createLogger({ app: 'scheduler', level: 'error', stream: new PassThrough().resume() });

/** A writer on one record, and a clock of its own. */
function start() {
  const state = {
    millis: 1_000_000,
    stored: undefined as TimelineRecord | undefined,
    writes: 0,
    fail: undefined as Error | undefined,
  };
  const stopping = new AbortController();
  const writer = createTimelineWriter({
    store: {
      readTimeline: () => {
        const { stored, fail } = state;
        if (fail !== undefined) return Promise.reject(fail);
        return Promise.resolve(stored && { record: stored, seqNo: 1, primaryTerm: 1 });
      },
      replaceTimeline: (_before, record) => {
        state.stored = record;
        state.writes += 1;
        return Promise.resolve({ record, seqNo: 2, primaryTerm: 1 });
      },
    },
    logger,
    now: () => state.millis,
    requestTimeoutMs: 1_000,
    signal: stopping.signal,
  });
  const look = async (phase: MigrationPhase, afterMs = 0): Promise<void> => {
    state.millis += afterMs;
    writer.note(exampleMigration({ phase, startTimeMillis: 1_000_000 }), []);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { state, look, stopping };
}

test('moments are a second apart, but for a phase that is new', async () => {
  const { state, look } = start();
  await look('ACTIVE');
  await look('ACTIVE', 999);
  expect(state.writes).toBe(1);
  await look('ACTIVE', 1);
  await look('PREPARING_TARGET', 1);
  expect(state.stored?.points.phase).toEqual(['ACTIVE', 'ACTIVE', 'PREPARING_TARGET']);
  expect(state.stored?.points.atMillis).toEqual([1_000_000, 1_001_000, 1_001_001]);
});

test('nothing is written while writes are held up, and the end once', async () => {
  const { state, look } = start();
  await look('ACTIVE');
  for (const phase of ['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const) await look(phase, 60_000);
  expect(state.writes).toBe(1);
  for (let looks = 0; looks < 3; looks += 1) await look('COMPLETED', 60_000);
  expect(state.stored?.points.phase).toEqual(['ACTIVE', 'COMPLETED']);
});

test('a migration that had ended when this process came gets no new moment', async () => {
  const { state, look } = start();
  await look('COMPLETED');
  expect(state.writes).toBe(0);
});

test('a write that fails costs its moment and nothing else', async () => {
  const { state, look } = start();
  state.fail = new ClusterError('conflict', 'another scheduler was faster');
  await look('ACTIVE');
  state.fail = undefined;
  await look('ACTIVE', 5_000);
  expect(state.stored?.points.atMillis).toEqual([1_005_000]);
});

test('nothing is written at a shutdown', async () => {
  const { state, look, stopping } = start();
  stopping.abort();
  await look('ACTIVE');
  expect(state.writes).toBe(0);
});
