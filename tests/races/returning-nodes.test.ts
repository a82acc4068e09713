import type { IndexStatePort, SnapshotPort } from '@aosc/engine';
import type { Server } from '@aosc/local-stack';
import type { Cluster } from './support/cluster';
import type { Faults } from './support/faults';
import type { Harness } from './support/harness';
import { type LeavingNode, startLeavingNode } from './support/leaving-node';
import { type PairOptions, someSource } from './support/pairs';
import { createReturningNode, type ReturningNode } from './support/returning-node';

jest.setTimeout(600_000);

/**
 * A data node that is paused, removed from the cluster and let go on believes in itself until it has joined again: it
 * takes its shards for primaries, and answers by what it held. Each test asks it in just that moment.
 */
let node: LeavingNode;
let cluster: Cluster;
let away: Server;
let returning: ReturningNode;

beforeAll(async () => {
  node = await startLeavingNode();
  ({ cluster, away } = node);
});
beforeEach(async () => {
  returning = await createReturningNode(away);
});
afterEach(async () => {
  await returning.stop();
  await node.comeBack();
});
afterAll(() => cluster.stop());

const waitFor: LeavingNode['waitFor'] = (...given) => node.waitFor(...given);
const untilMembers: LeavingNode['untilMembers'] = (...given) => node.untilMembers(...given);
const untilGreen: LeavingNode['untilGreen'] = (...given) => node.untilGreen(...given);
const startPair: LeavingNode['startPair'] = (...given) => node.startPair(...given);
const sendAway: LeavingNode['sendAway'] = (...given) => node.sendAway(...given);

/** The way back of the node that was away, as those see it that ask it meanwhile. */
class Return {
  private joined: Promise<void> | undefined;
  isBack = false;

  /** What comes next finds it a member again, like the service's next request does. */
  join(): Promise<void> {
    return (this.joined ??= untilMembers(3).then(() => {
      this.isBack = true;
    }));
  }
}

/**
 * From now on these functions ask the node that returns, for as long as it has not joined again.
 * @param last whose answer is given when it has
 */
function askReturning<P extends object>(
  real: P,
  old: P,
  names: readonly (keyof P)[],
  way: Return,
  last: PropertyKey | undefined = names.at(-1),
): Partial<P> {
  const asked = names.map((name) => {
    const ask = async (...given: unknown[]): Promise<unknown> => {
      const { isBack } = way;
      const own = isBack ? real[name] : old[name];
      if (typeof own !== 'function') throw new TypeError(`${String(name)} is no function`);
      const answer: unknown = await Reflect.apply(own, isBack ? real : old, given);
      const joined = way.join();
      if (name === last) await joined;
      return answer;
    };
    return [name, ask];
  });
  return Object.fromEntries(asked) as Partial<P>;
}

describe('a source primary that was away', () => {
  const ways: readonly [string, readonly (keyof IndexStatePort)[], readonly (keyof SnapshotPort)[]][] = [
    ['opens the snapshot', [], ['open', 'measure']],
    ['is refreshed, opens the snapshot', [], ['refreshCopy', 'open', 'measure']],
    ['tells its checkpoint', ['readCheckpoints'], []],
    ['tells checkpoint and snapshot', ['readCheckpoints'], ['refreshCopy', 'open', 'measure']],
    ['tells everything', ['readRouting', 'readCheckpoints', 'refresh'], ['refreshCopy', 'open', 'measure']],
  ];
  test.each(ways)('%s: no write of its successor is passed over', async (_name, looks, reads) => {
    const harness = await startPair('source');
    await harness.backfill();
    await harness.round();
    await sendAway(harness.source);
    for (let n = 0; n < 20; n++) await cluster.put(harness.alias, { id: `d${n}` }, someSource(`d${n}`));
    const old = returning.ports.index(harness.source);
    const way = new Return();
    const last = reads.at(-1) ?? looks.at(-1);
    const faults: Faults = {
      source: {
        state: (real) => askReturning(real, old.state, looks, way, last),
        snapshots: (real) => askReturning(real, old.snapshots, reads, way, last),
      },
    };
    await harness.round(faults);
    await harness.round();
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});

describe('a target primary that was away', () => {
  test('says that a document is not there: its delete is not passed over', async () => {
    // The shard would wait for the node before it looks: so this one counts as dead at once.
    const harness = await startPair('target', {}, { options: { docCountTolerance: 5 }, lostNodeWaitMs: 0 });
    await harness.backfill();
    await harness.round();
    await sendAway(harness.target);
    const added = Array.from({ length: 5 }, (_, n) => ({ id: `new${n}` }));
    for (const { id } of added) await cluster.put(harness.alias, { id }, someSource(id));
    await harness.round();
    await cluster.removeAll(harness.source, added);
    const { state } = returning.ports.index(harness.target);
    await harness.round({
      target: { state: (real) => askReturning(real, state, ['getDocuments'], new Return()) },
    });
    await untilMembers(3);
    await untilGreen(harness.target);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });

  test('is compared with the source after a lost snapshot: what it lacks is not believed', async () => {
    // Documents are written again there only when no node is waited for: so this one counts as dead at once.
    const harness = await startPair('target', {}, { lostNodeWaitMs: 0 });
    await harness.backfill();
    await harness.round();
    await sendAway(harness.target);
    const added = Array.from({ length: 5 }, (_, n) => ({ id: `new${n}` }));
    for (const { id } of added) await cluster.put(harness.alias, { id }, someSource(id));
    await harness.round();
    // No difference of snapshots shows that these were deleted, because the older one is gone.
    await cluster.removeAll(harness.source, added);
    await cluster.send('DELETE', '/_search/point_in_time/_all');
    const { snapshots } = returning.ports.index(harness.target);
    await harness.round({
      target: { snapshots: (real) => askReturning(real, snapshots, ['open'], new Return()) },
    });
    expect(harness.events).toContain('sweep_complete');
    await untilGreen(harness.target);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });

  test('counts: what it lacks or has too many is not believed', async () => {
    const harness = await startPair('target');
    await harness.backfill();
    await harness.round();
    await harness.runUntil('COMPLETING');
    await sendAway(harness.target);
    const way = new Return();
    const counts = (index: string) => ({
      state: (real: IndexStatePort) =>
        askReturning(real, returning.ports.index(index).state, ['count', 'countCopies'], way),
    });
    expect(
      await harness.runUntil('COMPLETED', {
        source: counts(harness.source),
        target: counts(harness.target),
      }),
    ).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});

describe('a bulk that was sent to a target primary that was away', () => {
  const ids = Array.from({ length: 200 }, (_, n) => `d${n}`);
  test.each([
    {
      what: 'were deleted',
      change: ({ source }: Harness) =>
        cluster.removeAll(
          source,
          ids.map((id) => ({ id })),
        ),
    },
    {
      what: 'were written again with an equal version',
      async change({ source }: Harness) {
        for (const id of ids.slice(0, 20)) {
          await cluster.put(source, { id, version: 1, versionType: 'external_gte' }, someSource(id));
        }
      },
    },
  ])('is not carried out once more after its documents $what', async ({ change }) => {
    const harness = await startPair('target');
    await harness.advance();
    await node.copyThroughStall(harness, 0);
    await change(harness);
    const round = harness.round();
    const isDone = round.then(
      () => true,
      () => true,
    );
    await waitFor('the round to end, or to wait for the node', async () => {
      const waits = harness.events.includes('node_awaited');
      return waits || (await Promise.race([isDone, Promise.resolve(false)]));
    });
    away.resume();
    await untilMembers(3);
    await round;
    await untilGreen(harness.target);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});

describe('a point in time on a node that is away', () => {
  /** One failed try of the allocation is enough to have the copy given up. */
  const givesUpSoon = {
    'index.allocation.max_retries': 1,
    'index.unassigned.node_left.delayed_timeout': '0s',
  };

  /** The node counts as dead at once: a copy waits for it otherwise, unless the shard happens to be quiet. */
  async function loseSnapshot(options: Partial<PairOptions> = {}): Promise<Harness> {
    const harness = await startPair('source', givesUpSoon, { lostNodeWaitMs: 0, ...options });
    await harness.backfill();
    await harness.round();
    await sendAway(harness.source);
    await cluster.put(harness.alias, { id: 'one' }, someSource('one'));
    await harness.round();
    expect(harness.events).toContain('snapshot_lost');
    return harness;
  }

  async function giveUpAllocation(index: string): Promise<void> {
    away.resume();
    await untilMembers(3);
    await waitFor('the copy to be given up', async () => {
      const text = await cluster.text('GET', `/_cat/shards/${index}?h=prirep,state,unassigned.reason`);
      return text.includes('ALLOCATION_FAILED');
    });
  }

  test('is closed when the node is back, and the copy gets its second chance', async () => {
    const harness = await loseSnapshot();
    expect((await harness.shard(0)).lateCloses).toHaveLength(1);
    await giveUpAllocation(harness.source);
    await cluster.put(harness.alias, { id: 'one' }, someSource('one'));
    await harness.round();
    await untilGreen(harness.source);
    expect((await harness.shard(0)).lateCloses).toBeUndefined();
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });

  test.each([
    ['COMPLETED', false],
    ['CANCELLED', false],
    ['CANCELLED', true],
  ] as const)(
    'is closed by the guard, when the migration is %s by then; cleared by an administrator: %s',
    async (phase, isCleared) => {
      const harness = await loseSnapshot({ timing: { guardMs: 600_000 } });
      if (phase === 'CANCELLED') await harness.cancel(isCleared ? { clearings: [{ undone: true }] } : {});
      expect(await harness.runUntil(phase)).toMatchObject({ phase });
      await giveUpAllocation(harness.source);
      await harness.advance();
      await untilGreen(harness.source);
      expect((await harness.shard(0)).lateCloses).toBeUndefined();
    },
  );

  test('is named in the status while the source lacks a copy', async () => {
    const harness = await loseSnapshot({ timing: { guardMs: 600_000 } });
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    harness.passTime(310_000);
    await harness.advance();
    expect((await harness.record()).copiesMissing).toMatch(
      /lacks copies that it had at the start: shard \[0\] has 1 of 2/,
    );
    away.resume();
    await untilMembers(3);
    await harness.advance();
    await untilGreen(harness.source);
    await harness.advance();
    expect((await harness.record()).copiesMissing).toBeUndefined();
  });
});
