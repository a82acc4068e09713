import type { ShardRecord } from '@aosc/contract';
import { ClusterError } from '@aosc/engine';
import { callJson, parsePointsInTime } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Faults } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

/*
 * A worker gets the signal to end while a call is on its way that leaves a trace. The test carries it out and then
 * stops the job. So a caller that gives up at once never learns of it, as with a real call that is cut off after it was
 * sent.
 */

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const never = new AbortController().signal;
const documents = someDocuments(40);

async function openPits(): Promise<readonly string[]> {
  const { pits } = await callJson(cluster.http, parsePointsInTime, 'GET', '/_search/point_in_time/_all');
  return pits.map(({ pit_id: id }) => id);
}

/** Carries the call out, stops the job, and then answers the caller if it still waits. */
function stopDuring(): { readonly stop: AbortSignal; readonly cut: Cut; isReached: () => boolean } {
  const stopping = new AbortController();
  return {
    stop: stopping.signal,
    isReached: () => stopping.signal.aborted,
    cut: async (carryOut, call) => {
      const answer = await carryOut({ ...call, signal: never });
      stopping.abort(new Error('the process is shutting down'));
      if (call.signal.aborted) throw new ClusterError('aborted', 'the caller has given up');
      return answer;
    },
  };
}

type Cut = <C extends { readonly signal: AbortSignal }, A>(
  carryOut: (call: C) => Promise<A>,
  call: C,
) => Promise<A>;

/** The owner is gone, and the next job needs to wait for nothing. */
async function expectHandedBack(harness: Harness, epoch: number): Promise<void> {
  const { writer } = await harness.shard(0);
  expect(writer.owner).toBeUndefined();
  expect(writer).toMatchObject({ epoch, fenceReady: true });
}

test('stopped while it claims a shard: the shard is handed back, and not left to an owner that is gone', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents });
  await harness.backfill();
  await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
  const { epoch } = (await harness.shard(0)).writer;
  const { stop, cut, isReached } = stopDuring();
  const faults: Faults = {
    store: (real) => ({
      replaceShard: (before, after, call) =>
        isReached()
          ? real.replaceShard(before, after, call)
          : cut((own) => real.replaceShard(before, after, own), call),
    }),
  };
  await expect(harness.job('replay', 0, { faults, stop })).rejects.toThrow();
  expect(isReached()).toBe(true);
  await expectHandedBack(harness, epoch);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test.each(['backfill', 'replay'] as const)(
  'stopped while it opens a snapshot of the source for a %s: nothing stays open',
  async (kind) => {
    const harness = await createPair(cluster, { shards: [1, 2], documents });
    if (kind === 'replay') {
      await harness.backfill();
      await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
    } else await harness.advance();
    const before = await openPits();
    const { stop, cut, isReached } = stopDuring();
    const faults: Faults = {
      source: {
        snapshots: (real) => ({
          open: (copy, keepAliveMs, call) => cut((own) => real.open(copy, keepAliveMs, own), call),
        }),
      },
    };
    await expect(harness.job(kind, 0, { faults, stop })).rejects.toThrow();
    expect(isReached()).toBe(true);
    expect(await openPits()).toEqual(before);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  },
);

test.each([
  {
    what: 'the first snapshot',
    kind: 'backfill',
    names: ({ snapshot }: ShardRecord) => snapshot !== undefined,
  },
  {
    what: 'the next snapshot',
    kind: 'replay',
    names: ({ nextSnapshot }: ShardRecord) => nextSnapshot !== undefined,
  },
] as const)('cut off while it writes down $what: the next owner still has it', async ({ kind, names }) => {
  const harness = await createPair(cluster, { shards: [1, 2], documents });
  if (kind === 'replay') {
    await harness.backfill();
    await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
    await cluster.remove(harness.alias, { id: 'd2' });
  } else await harness.advance();
  const cutting = new AbortController();
  const faults: Faults = {
    store: (real) => ({
      replaceShard: async (before, after, call) => {
        if (names(before.record) || !names(after)) return real.replaceShard(before, after, call);
        await real.replaceShard(before, after, { signal: never });
        cutting.abort(new Error('the process ends'));
        throw new ClusterError('aborted', 'the caller has given up');
      },
    }),
  };
  await harness.job(kind, 0, { faults, kill: cutting.signal });
  expect(cutting.signal.aborted).toBe(true);
  await harness.job(kind, 0, { takeOver: true });
  expect(await harness.shard(0)).toMatchObject({ snapshotsLost: 0 });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});
