import type { MigrationRecord } from '@aosc/contract';
import { describeVerification, newVerification } from '@aosc/domain';
import { RedisSilentError } from '@aosc/queue';
import {
  blockedFor,
  intervalMs,
  never,
  SchedulerUnderTest,
  someMigration,
} from './__tests__/scheduler-under-test';

/** How long a call waits for Redis. */
const silenceMs = 5000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const running = Array.from({ length: 20 }, (_, n) => someMigration(`running${n}`, 'ACTIVE'));

function withSilentRedis(...records: readonly MigrationRecord[]): SchedulerUnderTest {
  const scheduler = new SchedulerUnderTest(...records);
  scheduler.redis = () =>
    new Promise((_, reject) => setTimeout(() => reject(new RedisSilentError('no answer')), silenceMs));
  return scheduler.start();
}

test('every migration is woken by each tick', async () => {
  const scheduler = new SchedulerUnderTest(...running).start();
  await pass(intervalMs);
  expect(scheduler.woken).toEqual(running.map(({ key }) => key));
  await pass(intervalMs);
  expect(scheduler.woken).toHaveLength(2 * running.length);
  scheduler.stop();
});

test('a Redis without an answer is asked once in a tick', async () => {
  const scheduler = withSilentRedis(...running);
  await pass(intervalMs + silenceMs);
  expect(scheduler.woken).toEqual([]);
  expect(scheduler.warnings).toEqual([
    'the nodes could not be checked, trying again',
    'the permits could not be checked, trying again',
    '20 of 20 migrations could not be checked, trying again',
  ]);
  scheduler.stop();
});

test('a wake that is refused does not keep the others from being woken', async () => {
  const scheduler = new SchedulerUnderTest(...running);
  scheduler.redis = () =>
    scheduler.woken.length === 1 ? Promise.reject(new Error('WRONGTYPE')) : Promise.resolve();
  scheduler.start();
  await pass(intervalMs);
  expect(scheduler.woken).toHaveLength(running.length);
  expect(scheduler.warnings).toEqual(['1 of 20 migrations could not be checked, trying again']);
  scheduler.stop();
});

test('without Redis what needs no job comes to its end, and an ended migration is guarded', async () => {
  const writeBlock = { requestedAtMillis: 1000, usersOwn: false, confirmed: true, lifted: true };
  const scheduler = withSilentRedis(
    ...running,
    someMigration('cancelled', 'CANCELLING'),
    someMigration('last rounds', 'CATCHING_UP'),
    someMigration('counted', 'COMPLETING'),
    { ...someMigration('failing', 'FAILING'), writeBlock },
    { ...someMigration('ended', 'CANCELLED'), guardUntilMillis: Date.now() + 180_000 },
  );
  await pass(intervalMs + silenceMs);
  expect(scheduler.begun.map(({ name }) => name).toSorted()).toEqual(['cancelled', 'ended', 'failing']);
  expect(scheduler.swapping).toEqual(['last rounds', 'counted']);
  expect(scheduler.records.get('failing')).toMatchObject({ phase: 'FAILED' });
  // Nothing is left but guards, which are looked at more rarely than the others.
  await pass(100_000);
  const guards = scheduler.begun.filter(({ name }) => name === 'ended').length;
  expect(guards).toBeGreaterThan(2);
  expect(guards).toBeLessThan(12);
  scheduler.stop();
});

test('a node gives no answer, and Redis is away: what needs neither is driven all the same', async () => {
  const scheduler = new SchedulerUnderTest(someMigration('last rounds', 'CATCHING_UP'));
  scheduler.nodes = never;
  scheduler.redis = () => Promise.reject(new Error('away'));
  scheduler.start();
  await pass(3 * intervalMs);
  expect(scheduler.swapping).toContain('last rounds');
  scheduler.stop();
});

test('with Redis aborts are left to their jobs', async () => {
  const scheduler = new SchedulerUnderTest(someMigration('cancelled', 'CANCELLING')).start();
  await pass(5 * intervalMs);
  expect(scheduler.begun).toEqual([]);
  expect(scheduler.woken).toHaveLength(5);
  scheduler.stop();
});

test('an abort whose block is still on is driven by only one of the two', async () => {
  const scheduler = withSilentRedis(blockedFor(70_000, 'failing', { phase: 'FAILING' }));
  scheduler.drives = () => new Promise((resolve) => setTimeout(resolve, 30_000));
  await pass(120_000);
  expect(scheduler.twice).toEqual([]);
  expect(scheduler.records.get('failing')).toMatchObject({ phase: 'FAILED' });
  scheduler.stop();
});

test('a block past its bound is lifted, whoever drives its migration to the swap', async () => {
  const scheduler = withSilentRedis(blockedFor(50_000, 'last rounds'));
  // A node that never answers, or a wait that nothing ends.
  scheduler.swaps = () => new Promise(() => undefined);
  await pass(9000);
  expect(scheduler.swapping).toEqual(['last rounds']);
  expect(scheduler.begun).toEqual([]);
  await pass(intervalMs + 1001);
  expect(scheduler.isLifted('last rounds')).toBe(true);
  scheduler.stop();
});

test('a process that stops wakes no other migration', async () => {
  const scheduler = withSilentRedis(...running);
  await pass(intervalMs + 1);
  scheduler.stop();
  await pass(60_000);
  expect(scheduler.woken).toEqual([]);
  expect(scheduler.warnings).toEqual([]);
});

test('a verification that runs is not counted as a wait for help, and what a person has to see is', async () => {
  const verification = newVerification('k', 0);
  const texts = [
    describeVerification(verification),
    describeVerification({ ...verification, phase: 'failed', reason: 'no room' }),
    '3 documents are set aside',
  ];
  const scheduler = new SchedulerUnderTest(
    ...texts.map((text = '', at) => ({
      ...someMigration(`waits-${at}`, 'PREPARING_TARGET'),
      waits: [{ reason: 'target', sinceMillis: 1, text } as const],
    })),
  );
  scheduler.start();
  await pass(intervalMs);
  expect(await scheduler.figures('aosc_migrations_waiting')).toContain(
    'aosc_migrations_waiting{reason="target"} 2',
  );
  scheduler.stop();
});

test('a look that woke every migration is reported, and what they wait for', async () => {
  const waits = [
    { reason: 'worker', sinceMillis: 1 } as const,
    { reason: 'refused', text: 'no privilege' } as const,
  ];
  const scheduler = new SchedulerUnderTest({ ...someMigration('waits', 'ACTIVE'), waits });
  scheduler.redis = () => Promise.reject(new Error('away'));
  scheduler.start();
  await pass(intervalMs);
  expect(await scheduler.figures('aosc_reconcile_success')).toEqual([
    'aosc_reconcile_success_timestamp_seconds 0',
  ]);
  scheduler.redis = () => Promise.resolve();
  await pass(intervalMs);
  const [success = ''] = await scheduler.figures('aosc_reconcile_success');
  expect(Number(success.split(' ')[1])).toBe(Date.now() / 1000);
  expect(await scheduler.figures('aosc_migrations_waiting')).toEqual([
    'aosc_migrations_waiting{reason="worker"} 1',
    'aosc_migrations_waiting{reason="permit"} 0',
    'aosc_migrations_waiting{reason="target"} 0',
    'aosc_migrations_waiting{reason="gap"} 0',
    'aosc_migrations_waiting{reason="cluster"} 0',
    'aosc_migrations_waiting{reason="refused"} 1',
  ]);
  scheduler.stop();
});
