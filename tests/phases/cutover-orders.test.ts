import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import { type ApiUnderTest, errorLike, startApi } from '../../apps/api/src/__tests__/api-under-test';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectSourceServes, expectSwapped, expectUndone, guarded } from './support/ends';
import { write } from './support/waiting-writes';

jest.setTimeout(600_000);

let cluster: Cluster;
let aosc: ApiUnderTest;
beforeAll(async () => {
  cluster = await borrowCluster();
  aosc = await startApi({ openSearch: cluster.urls.join(','), redis: cluster.redisUrl });
});
afterAll(async () => {
  await aosc.close();
  await cluster.stop();
});

const pair: PairOptions = { ...guarded, shards: [1, 2], documents: someDocuments(60) };
const createWith = (options: NonNullable<PairOptions['options']>) =>
  createPair(cluster, { ...pair, options });
const order = ({ source }: Pick<Harness, 'source'>, body?: object) =>
  aosc.api('POST', `/_plugins/_aosc/${source}/_cutover`, body);
const status = ({ source }: Harness) => aosc.api('GET', `/_plugins/_aosc/${source}/_status`);
const accepted = (phase: MigrationPhase, state: string) => ({
  status: 200,
  body: { accepted: true, phase, cutover: { state } },
});

/** More than it takes from here to the swap. */
const passes = 30;
const dayMs = 86_400_000;
const call = { signal: new AbortController().signal };

/** A converging migration comes to its cutover in a few of them. */
const mostPasses = 400;

/** The migration is driven on, and stays before its cutover. */
async function goesOnWaiting(harness: Harness): Promise<void> {
  await harness.runUntil('PREPARING_TARGET');
  for (let pass = 0; pass < passes; pass++) {
    await harness.advance();
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
  }
  const record = await harness.record();
  expect(record.phase).toBe('PREPARING_TARGET');
  expect(record).not.toHaveProperty('writeBlock');
  await expectSourceServes(cluster, harness);
}

/** What is merged away below a snapshot stays on disk, and the status says how much. */
async function expectPinnedToShow(harness: Harness): Promise<void> {
  await cluster.send('POST', `/${harness.source}/_forcemerge?max_num_segments=1`);
  await cluster.send('POST', `/${harness.source}/_refresh`);
  harness.passTime(120_000);
  await harness.advance();
  const { pinned } = await harness.record();
  expect(pinned?.bytes).toBeGreaterThan(0);
  expect(await status(harness)).toMatchObject({ body: { cutover: { pinned_bytes: pinned?.bytes } } });
}

test('a manual cutover waits for days, whatever the time of the target, and begins when it is approved', async () => {
  const harness = await createWith({ cutover: 'manual', targetReadyTimeoutSeconds: 60 });
  await goesOnWaiting(harness);
  expect(await status(harness)).toMatchObject({
    body: { cutover: { state: 'postponed', waits_for: expect.stringContaining('aosc cutover') as unknown } },
  });
  for (let day = 0; day < 3; day++) {
    harness.passTime(dayMs);
    await cluster.put(harness.alias, { id: `day-${day}` }, someSource(`day-${day}`));
    await goesOnWaiting(harness);
  }
  await expectPinnedToShow(harness);
  expect((await harness.record()).transitionHistory.map(({ phase }) => phase)).toEqual([
    'ACTIVE',
    'PREPARING_TARGET',
  ]);
  expect(await order(harness)).toMatchObject(accepted('PREPARING_TARGET', 'converging'));
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
  expect(await status(harness)).toMatchObject({
    body: { cutover: { state: 'done', order: { type: 'approved' } } },
  });
  expect(await order(harness)).toMatchObject(
    errorLike(
      409,
      'illegal_state_exception',
      `Cannot order the cutover of the migration for [${harness.source}] — migration is already in terminal phase: COMPLETED`,
    ),
  );
});

test('an approval does not open a window, and a forced one does not wait for it', async () => {
  const harness = await createWith({ cutover: 'manual', cutoverNotBefore: '2999-01-01T00:00:00Z' });
  expect(await order(harness)).toMatchObject(accepted('ACTIVE', 'converging'));
  await goesOnWaiting(harness);
  expect(await status(harness)).toMatchObject({
    body: {
      cutover: { state: 'waiting_for_window', next_attempt_millis: Date.parse('2999-01-01T00:00:00Z') },
    },
  });
  expect(await order(harness, { force: true })).toMatchObject(accepted('PREPARING_TARGET', 'converging'));
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

/** Orders something while the scheduler is between its look at the record and the write that begins the cutover. */
function meanwhile(harness: Harness, what: () => Promise<unknown>): Faults {
  let isDone = false;
  return {
    aliases: (real) => ({
      async update(...args) {
        const { phase } = await harness.record();
        if (phase === 'CUTTING_OVER' && !isDone) {
          isDone = true;
          await what();
        }
        return real.update(...args);
      },
    }),
  };
}

test('a postponement that comes while the cutover is about to begin keeps it from beginning', async () => {
  const harness = await createWith({});
  let answer: unknown;
  const faults = meanwhile(harness, async () => {
    answer = await order(harness, { postpone: true });
  });
  for (let pass = 0; answer === undefined && pass < mostPasses; pass++) {
    await harness.advance(faults);
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
  }
  expect(answer).toMatchObject(accepted('CUTTING_OVER', 'attempting'));
  await goesOnWaiting(harness);
  expect(await order(harness)).toMatchObject({ status: 200 });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

test('a postponement that comes after the write block was announced is refused, and an approval is kept for another attempt', async () => {
  const harness = await createWith({ cutover: 'automatic' });
  const lost = {
    source: { settings: () => ({ blockWrites: () => Promise.reject(new Error('the answer is lost')) }) },
  };
  await expect(harness.runUntil('COMPLETED', lost)).rejects.toThrow('the answer is lost');
  const before = await harness.record();
  expect(before).toHaveProperty('writeBlock');
  expect(await order(harness, { postpone: true })).toMatchObject({ status: 409 });
  expect(await order(harness)).toMatchObject(accepted('CUTTING_OVER', 'attempting'));
  expect(await harness.record()).toEqual({
    ...before,
    cutoverOrder: { type: 'approved', atMillis: expect.any(Number) as number },
  });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

test('a migration that waits for an approval can be cancelled, and takes no order then', async () => {
  const harness = await createWith({ cutover: 'manual' });
  await goesOnWaiting(harness);
  await harness.cancel();
  expect(await order(harness)).toMatchObject({ status: 409 });
  expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
  await harness.advance();
  await expectUndone(cluster, harness);
});

test.each([
  [{ force: true, postpone: true }, 'force and postpone: say one of them'],
  [{ force: 'yes' }, 'force'],
  [{ forced: true }, 'unknown field [forced]'],
])('an order of %j is refused', async (body, why) => {
  const harness = await createWith({ cutover: 'manual' });
  const answer = await order(harness, body);
  expect(answer).toMatchObject({ status: 400 });
  expect(JSON.stringify(answer.body)).toContain(why);
  expect(await harness.record()).not.toHaveProperty('cutoverOrder');
});

test('an order for a source without a migration is answered with 404', async () => {
  expect(await order({ source: 'without-a-migration' })).toMatchObject({ status: 404 });
});

test('no attempt begins while its pause is predicted to be too long, unless it is forced', async () => {
  const harness = await createWith({ maxPauseMs: 2000 });
  const slow: Faults = {
    source: {
      snapshots: (real) => ({
        async open(...args) {
          harness.passTime(3000);
          const opened = await real.open(...args);
          // The next round has something to bring, up to the block.
          await write(cluster, harness, 'd1');
          return opened;
        },
      }),
    },
  };
  const goOn = async (isOver: (record: MigrationRecord) => boolean): Promise<MigrationRecord> => {
    for (let pass = 0; pass < mostPasses; pass++) {
      const record = await harness.record();
      if (isOver(record)) return record;
      await harness.advance(slow);
      for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard, { faults: slow });
    }
    throw new Error('it does not come so far');
  };
  // A shard to which nothing is written has no round that could be measured.
  await harness.backfill();
  await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
  for (const [nth, restMs] of [5000, 15_000].entries()) {
    const record = await goOn(({ putOffs = [] }) => putOffs.length > nth);
    expect(record).not.toHaveProperty('writeBlock');
    expect((record.nextAttemptMillis ?? 0) - (record.putOffs?.at(-1)?.atMillis ?? 0)).toBe(restMs);
    const { body } = await status(harness);
    // The API's clock is behind that of the test.
    expect(body).toMatchObject({
      cutover: {
        state: 'backing_off',
        waits_for: expect.stringContaining('longer than 2000 ms (max_pause_ms)') as unknown,
        predicted_pause_ms: expect.any(Number) as unknown,
      },
    });
    harness.passTime(restMs);
  }
  expect((await goOn(({ putOffs = [] }) => putOffs.length > 2)).writeBlock).toBeUndefined();
  // What the order writes, by the clock of the test, which is ahead of the API's.
  const stored = await cluster.store.readMigration(harness.key, call);
  if (stored === undefined) throw new Error('there is no record');
  const { nextAttemptMillis: atMillis = 0 } = stored.record;
  const forced = { ...stored.record, cutoverOrder: { type: 'forced', atMillis } } as const;
  await cluster.store.replaceMigration(stored, forced, call);
  await goOn(({ writeBlock }) => writeBlock !== undefined);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});
