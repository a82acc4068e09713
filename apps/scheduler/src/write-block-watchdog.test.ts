import type { MigrationRecord } from '@aosc/contract';
import {
  blockedFor,
  maxHoldMs,
  SchedulerUnderTest,
  never,
  someMigration,
  writeBlockMaxMs,
} from './__tests__/scheduler-under-test';

/** One interval, and what a look takes without any server. */
const oneLookMs = 2100;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const several = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const overdue = (name: string) => blockedFor(writeBlockMaxMs + 1, name);
const held = (): MigrationRecord => ({
  ...someMigration('held', 'CATCHING_UP'),
  writeHold: { requestedAtMillis: Date.now(), originals: {}, put: {}, givenBack: false },
});

test('Redis gives no answer to anything, with twenty other migrations: the block is lifted within its bound and one look', async () => {
  const others = several(20, 'other').map((name) => someMigration(name, 'ACTIVE'));
  const scheduler = new SchedulerUnderTest(...others, blockedFor(0, 'blocked'));
  scheduler.redis = () => new Promise(() => undefined);
  scheduler.start();
  await pass(writeBlockMaxMs);
  expect(scheduler.isLifted('blocked')).toBe(false);
  await pass(oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(true);
  scheduler.stop();
});

test('the aborts of some migrations hang: the blocks of twenty others are lifted by the same look', async () => {
  const stuck = several(8, 'stuck');
  const others = several(20, 'other');
  const scheduler = new SchedulerUnderTest(...[...stuck, ...others].map(overdue));
  scheduler.drives = ({ migrationId }, { signal }) =>
    stuck.includes(migrationId) ? never(signal) : Promise.resolve();
  scheduler.start();
  await pass(oneLookMs);
  expect(others.filter((name) => !scheduler.isLifted(name))).toEqual([]);
  expect([...scheduler.driving]).toEqual(stuck);
  scheduler.stop();
});

test('more aborts hang than there is room for: each of the others has its turn', async () => {
  const stuck = several(70, 'stuck');
  const scheduler = new SchedulerUnderTest(...stuck.map(overdue), overdue('last'));
  scheduler.drives = ({ migrationId }, { signal }) =>
    stuck.includes(migrationId) ? never(signal) : Promise.resolve();
  scheduler.start();
  await pass(30_000);
  expect(scheduler.isLifted('last')).toBe(true);
  expect(scheduler.driving.size).toBe(32);
  expect(scheduler.twice).toEqual([]);
  scheduler.stop();
});

test('an abort that hangs is cut off and tried again, each time with twice the time, up to that of a request', async () => {
  const scheduler = new SchedulerUnderTest(overdue('stuck'));
  scheduler.drives = (_, { signal }) => never(signal);
  scheduler.start();
  await pass(200_000);
  expect(scheduler.begun.map(({ at }) => at)).toEqual([2000, 12_000, 32_000, 72_000, 132_000, 192_000]);
  expect(scheduler.twice).toEqual([]);
  scheduler.drives = () => Promise.resolve();
  await pass(60_000 + oneLookMs);
  expect(scheduler.isLifted('stuck')).toBe(true);
  scheduler.stop();
});

test('records that can not be read from the moment of the block on: it is lifted by what the drive has seen of it', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  scheduler.looks = () => Promise.reject(new Error('no such index'));
  scheduler.start();
  await pass(oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(false);
  scheduler.remembered.note(overdue('blocked'));
  await pass(oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(true);
  scheduler.stop();
});

test('a look without an answer is cut off, and the next one finds the block', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  let looks = 0;
  scheduler.looks = (signal) => ((looks += 1) === 1 ? never(signal) : Promise.resolve());
  scheduler.redis = () => new Promise(() => undefined);
  scheduler.start();
  await pass(2000 + 5000 + oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(true);
  scheduler.stop();
});

test('the wall clock is set back by an hour meanwhile: the block is lifted within its bound and two looks', async () => {
  const scheduler = new SchedulerUnderTest(blockedFor(0, 'blocked')).start();
  await pass(oneLookMs);
  jest.setSystemTime(Date.now() - 3_600_000);
  await pass(writeBlockMaxMs - oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(false);
  await pass(2 * oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(true);
  scheduler.stop();
});

test('what is left of the abort then is not done here', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked')).start();
  await pass(oneLookMs);
  expect(scheduler.records.get('blocked')).toMatchObject({ phase: 'FAILING', writeBlock: { lifted: true } });
  await pass(60_000);
  expect(scheduler.begun).toHaveLength(1);
  scheduler.stop();
});

test('a process whose Redis is another installation’s lifts all the same, and wakes no migration', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  scheduler.installation = { isRightCluster: true, state: { type: 'refused', reason: 'another’s' } };
  scheduler.start();
  await pass(oneLookMs);
  expect(scheduler.isLifted('blocked')).toBe(true);
  expect(scheduler.woken).toEqual([]);
  scheduler.stop();
});

test('the records of another cluster are not touched, nor those that are remembered of it', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  scheduler.remembered.note(held());
  scheduler.installation = { isRightCluster: false, state: { type: 'refused', reason: 'restored' } };
  scheduler.start();
  await pass(60_000);
  expect([scheduler.begun, scheduler.woken]).toEqual([[], []]);
  scheduler.stop();
});

test('a process that stops ends its aborts, begins none, and says nothing of it', async () => {
  const scheduler = new SchedulerUnderTest(overdue('stuck'));
  scheduler.drives = (_, { signal }) => never(signal);
  scheduler.start();
  await pass(oneLookMs);
  scheduler.stop();
  await pass(0);
  expect(scheduler.driving.size).toBe(0);
  await pass(60_000);
  expect(scheduler.begun).toHaveLength(1);
  expect(scheduler.warnings).toEqual([]);
});

test('a record that can not be written: the block is lifted without it, at each look', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  scheduler.drives = () => Promise.reject(new Error('blocked by: [FORBIDDEN/8/index write (api)]'));
  scheduler.start();
  await pass(oneLookMs);
  expect(scheduler.unwritten).toEqual(['blocked']);
  await pass(oneLookMs);
  expect(scheduler.unwritten).toEqual(['blocked', 'blocked']);
  scheduler.stop();
});

test('a drive that hangs leaves half of its time to lift the block without the record', async () => {
  const scheduler = new SchedulerUnderTest(overdue('stuck'));
  scheduler.drives = (_, { signal }) => never(signal);
  scheduler.start();
  await pass(2000 + 5100);
  expect(scheduler.unwritten).toEqual(['stuck']);
  scheduler.stop();
});

test.each([
  ['are gone', (scheduler: SchedulerUnderTest) => scheduler.records.clear()],
  [
    'can not be read',
    (scheduler: SchedulerUnderTest) => (scheduler.looks = () => Promise.reject(new Error('closed'))),
  ],
])('the records %s after the block was seen: it is lifted when it is overdue', async (_, lose) => {
  const scheduler = new SchedulerUnderTest(blockedFor(0, 'blocked')).start();
  await pass(oneLookMs);
  lose(scheduler);
  scheduler.drives = () => Promise.reject(new Error('the record is gone'));
  await pass(writeBlockMaxMs - 2 * oneLookMs);
  expect(scheduler.unwritten).toEqual([]);
  await pass(2 * oneLookMs);
  expect(scheduler.unwritten[0]).toBe('blocked');
  scheduler.stop();
});

test.each(['not_ours', 'committed'] as const)('what is %s is forgotten', async (outcome) => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  scheduler.lifts = () => Promise.resolve(outcome);
  scheduler.drives = () => {
    scheduler.records.clear();
    return Promise.reject(new Error('the record is gone'));
  };
  scheduler.start();
  await pass(10 * oneLookMs);
  expect(scheduler.unwritten).toEqual(['blocked']);
  scheduler.stop();
});

test('a newer version of a settled record stays remembered: it may have the block of the next attempt', async () => {
  const scheduler = new SchedulerUnderTest(overdue('blocked'));
  const next = blockedFor(0, 'blocked', { undoneCount: 1 });
  scheduler.lifts = () => {
    scheduler.remembered.note(next);
    return Promise.resolve('not_ours');
  };
  scheduler.drives = () => {
    scheduler.records.clear();
    return Promise.reject(new Error('the record is gone'));
  };
  scheduler.start();
  await pass(oneLookMs);
  expect(scheduler.unwritten).toEqual(['blocked']);
  expect(scheduler.remembered.find(next.key)).toBe(next);
  scheduler.stop();
});

test('blocks that stand and the age of the oldest are reported, without Redis too, and none when they are lifted', async () => {
  const scheduler = new SchedulerUnderTest(blockedFor(10_000, 'older'), blockedFor(0, 'younger'));
  scheduler.redis = () => new Promise(() => undefined);
  scheduler.start();
  await pass(2000);
  expect(await scheduler.figures('aosc_write_blocks')).toEqual(['aosc_write_blocks 2']);
  expect(await scheduler.figures('aosc_write_block_age')).toEqual(['aosc_write_block_age_seconds 12']);
  scheduler.records.clear();
  for (const name of ['older', 'younger']) {
    const { writeBlock, ...record } = blockedFor(0, name);
    scheduler.records.set(name, {
      ...record,
      ...(writeBlock && { writeBlock: { ...writeBlock, lifted: true } }),
    });
  }
  await pass(2000);
  expect(await scheduler.figures('aosc_write_blocks')).toEqual(['aosc_write_blocks 0']);
  expect(await scheduler.figures('aosc_write_block_age')).toEqual(['aosc_write_block_age_seconds 0']);
  scheduler.stop();
});

test('a hold past its bound is ended before the next look at the records', async () => {
  const scheduler = new SchedulerUnderTest(held());
  scheduler.start();
  await pass(maxHoldMs);
  expect(scheduler.begun).toEqual([]);
  // The records were looked at after two seconds, and are again after four.
  await pass(500);
  expect(scheduler.begun).toContainEqual(expect.objectContaining({ name: 'held' }));
  scheduler.stop();
});
