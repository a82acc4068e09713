import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardPhase } from '@aosc/contract';
import type { ShardJobKind } from '@aosc/domain';
import { isClusterError } from '@aosc/engine';
import { waitUntil } from '@aosc/local-stack';
import { createBarrier } from './faults';
import type { Harness } from './harness';
import { createPair, type PairOptions, someDocuments } from './pairs';
import type { StalledReplication } from './stalled-replication';

/** A pair whose indices stay where they are when the primary of the records dies. */
export async function startStalledPair(
  stalled: StalledReplication,
  pair: Partial<PairOptions> = {},
): Promise<Harness> {
  const home = { 'index.routing.allocation.require._name': 'data-b' };
  const harness = await createPair(stalled.cluster, {
    shards: [1, 1],
    documents: someDocuments(100),
    sourceSettings: home,
    targetSettings: home,
    // The node that dies does not come back for them.
    lostNodeWaitMs: 0,
    ...pair,
  });
  await stalled.holdRecords();
  return harness;
}

export function unlessItPasses(error: unknown): void {
  if (!isClusterError(error, 'transient', 'aborted')) throw error;
}

/**
 * The job of shard 0 writes that the shard has come to this phase; the primary of the records shows it, and its replica never gets
 * it. The worker dies without an answer.
 */
export async function reachUnacknowledged(
  stalled: StalledReplication,
  harness: Harness,
  kind: ShardJobKind,
  phase: ShardPhase,
): Promise<void> {
  const kill = new AbortController();
  const worker = harness.job(kind, 0, {
    kill: kill.signal,
    faults: {
      store: (real) => ({
        replaceShard(before, after, ...rest) {
          if (after.phase !== phase) return real.replaceShard(before, after, ...rest);
          stalled.stall();
          return stalled.dying.replaceShard(before, after, ...rest);
        },
      }),
    },
  });
  await waitUntil(async () => (await harness.shard(0)).phase === phase, {
    what: `${phase}, which only the primary shows`,
    timeoutMs: 60_000,
    endedBy: [],
  });
  kill.abort(new Error('killed'));
  await worker.catch(unlessItPasses);
}

/**
 * The scheduler looks, for whatever reason, and its write is under way when the primary dies.
 * @param isMeant whether a write of the migration's record is the write that waits for the replica
 */
export async function killPrimaryUnderLook(
  stalled: StalledReplication,
  harness: Harness,
  isMeant: (phase: string) => boolean,
): Promise<void> {
  const asked = createBarrier();
  asked.open();
  const pass = async <T>(written: Promise<T>): Promise<T> => {
    void asked.pass();
    return written;
  };
  const look = harness
    .advance({
      store: (real) => ({
        replaceMigration: (before, after, ...rest) => {
          const written = real.replaceMigration(before, after, ...rest);
          return isMeant(after.phase) ? pass(written) : written;
        },
        replaceShard: (...given) => pass(real.replaceShard(...given)),
      }),
    })
    .catch(unlessItPasses);
  await asked.reached;
  await sleep(1000);
  await stalled.killPrimary();
  await look;
}
