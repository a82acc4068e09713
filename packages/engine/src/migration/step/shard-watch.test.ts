import { newShardRecord } from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import { ShardWatch } from './shard-watch';

const fresh = newShardRecord('k', 0, 0);
const owned: ShardRecord = { ...fresh, writer: { ...fresh.writer, owner: 'one', activity: 1 } };

/** A watch, and a clock that the test moves. */
function createWatch() {
  let now = 100;
  let seqNo = 0;
  const watch = new ShardWatch(() => now);
  return {
    /** The record is written, or is not, and looked at after so many milliseconds. */
    look: (ms: number, record: ShardRecord, written: boolean) => {
      now += ms;
      if (written) seqNo += 1;
      return watch.look({ record, seqNo, primaryTerm: 1 });
    },
    isDueAfter: (ms: number, everyMs: number) => {
      now += ms;
      return watch.isDue('k', everyMs);
    },
  };
}

test('found for the first time, a record counts as changed just now, however old its times are', () => {
  const { look } = createWatch();
  expect(look(0, owned, true)).toEqual({
    hasOwner: true,
    silentMs: 0,
    idleMs: 0,
    unchangedMs: 0,
    wasSeenChanging: false,
  });
  expect(look(50, owned, false)).toMatchObject({ silentMs: 50, idleMs: 50, wasSeenChanging: false });
});

test('a beat is life, and neither an answer nor progress', () => {
  const { look } = createWatch();
  look(0, owned, true);
  const beaten = { ...owned, writer: { ...owned.writer, heartbeatAtMillis: 1 } };
  expect(look(50, beaten, true)).toMatchObject({
    silentMs: 0,
    idleMs: 50,
    unchangedMs: 50,
    wasSeenChanging: true,
  });
});

test('an answer is no progress; a new owner has all of its time', () => {
  const { look } = createWatch();
  look(0, owned, true);
  const answered = { ...owned, writer: { ...owned.writer, activity: 2 } };
  expect(look(50, answered, true)).toMatchObject({ idleMs: 0, unchangedMs: 50 });
  const other = { ...answered, writer: { ...answered.writer, owner: 'two' } };
  expect(look(50, other, true)).toMatchObject({ idleMs: 0, unchangedMs: 100 });
});

test('an owner that does not count its answers is not judged by them', () => {
  const { activity: _none, ...writer } = owned.writer;
  expect(createWatch().look(0, { ...owned, writer }, true).idleMs).toBeUndefined();
});

test('it is due at once, then once in each interval', () => {
  const { isDueAfter } = createWatch();
  expect(isDueAfter(0, 30)).toBe(true);
  expect(isDueAfter(29, 30)).toBe(false);
  expect(isDueAfter(1, 30)).toBe(true);
});
