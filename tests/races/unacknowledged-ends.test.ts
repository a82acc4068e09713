import { type Faults } from './support/faults';
import { someSource } from './support/pairs';
import {
  killPrimaryUnderLook,
  reachUnacknowledged,
  startStalledPair,
  unlessItPasses,
} from './support/stalled-pair';
import { type StalledReplication, startStalledReplication } from './support/stalled-replication';

jest.setTimeout(600_000);

let stalled: StalledReplication;
beforeAll(async () => {
  stalled = await startStalledReplication();
});
afterEach(() => stalled.heal());
afterAll(() => stalled.stop());

/**
 * The worker's last write says that the shard has had its last round. The primary of the records shows it, and its replica never
 * gets it. The scheduler reads it there and asks for the next phase; that write is repeated by its node on the successor, and
 * answered. So the migration goes on by an end that is gone with the primary: the shard is in CATCHING_UP for whoever reads it
 * then, and its job comes to another worker after the swap, which opens a fence again and replays the last round over what
 * applications have written since.
 */
test('an end of a last round that only the primary shows: no worker writes to the target after the swap', async () => {
  const { cluster } = stalled;
  const harness = await startStalledPair(stalled);
  await harness.backfill();
  await harness.round();
  // What the last round brings.
  const beforeBlock: Faults = {
    source: {
      settings: (real) => ({
        async blockWrites(...given) {
          await cluster.put(harness.source, { id: 'd1' }, '{"by":"before the block"}');
          await cluster.put(harness.source, { id: 'n1' }, someSource('n1'));
          return real.blockWrites(...given);
        },
      }),
    },
  };
  expect((await harness.runUntil('CATCHING_UP', beforeBlock)).phase).toBe('CATCHING_UP');

  await reachUnacknowledged(stalled, harness, 'catch_up', 'COMPLETING');

  await killPrimaryUnderLook(stalled, harness, (phase) => phase === 'COMPLETING');

  expect((await harness.shard(0)).phase).toBe('CATCHING_UP');
  const { committed } = await harness.record();
  const ofApplications = '{"by":"an application after the swap"}';
  if (committed) {
    await cluster.put(harness.alias, { id: 'd1' }, ofApplications);
    await cluster.remove(harness.alias, { id: 'n1' });
  }
  // The dead worker's job comes to another one.
  await harness.job('catch_up', 0, { takeOver: true }).catch(unlessItPasses);
  if (!committed) {
    expect((await harness.runUntil('COMPLETED')).phase).toBe('COMPLETED');
    await harness.expectExact();
    return;
  }
  const shown = await cluster.send('POST', `/${harness.alias}/_mget`, {
    docs: [{ _id: 'd1' }, { _id: 'n1' }],
  });
  expect(shown).toMatchObject({
    docs: [
      { _id: 'd1', found: true, _source: JSON.parse(ofApplications) as object },
      { _id: 'n1', found: false },
    ],
  });
});
