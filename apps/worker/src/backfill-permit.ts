import type { MigrationRecord } from '@aosc/contract';
import { isPermitGranted, isTerminalPhase, jobOfShardPhase, showsLife } from '@aosc/domain';
import type { Call, Permit, PrimaryRouting } from '@aosc/engine';
import { type Queues, shardJobName } from '@aosc/queue';
import { readPermits } from '@aosc/runtime';
import type { MigrationStore } from '@aosc/store';

type PrimaryHome = Pick<PrimaryRouting, 'shard' | 'nodeId'>;
interface PrimaryHomes {
  readRouting(call: Call): Promise<{ readonly primaries: readonly PrimaryHome[] }>;
}
type RunningMigration = Pick<MigrationRecord, 'phase' | 'key' | 'sourceIndex' | 'sourceShardCount'>;

export interface PermitDependencies {
  readonly indices: { source(index: string): { readonly state: PrimaryHomes } };
  readonly store: Pick<MigrationStore, 'pollShards' | 'readSettings'> & {
    listActive(call: Call): Promise<readonly { readonly record: RunningMigration }[]>;
  };
  readonly queues: Pick<Queues, 'backfills'>;
  readonly staleAfterMs: number;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly onQueueError: (error: unknown) => void;
}

/**
 * The permit that a job from a node's queue asks for. What Redis knows of the limit may be old, or gone after FLUSHALL:
 * so the setting is read again, and the shards at work are counted from the queue and from their records.
 * @param name of the shard's job
 */
export function createBackfillPermit(
  { indices, store, queues, staleAfterMs, now, onQueueError }: PermitDependencies,
  nodeId: string,
  name: string,
): Permit {
  /** Shards that are copied from this node by somebody who shows life. */
  async function listWorking(call: Call): Promise<readonly string[]> {
    const working: string[] = [];
    for (const { record } of await store.listActive(call)) {
      if (isTerminalPhase(record.phase)) continue;
      const shards = await store.pollShards(record.key, record.sourceShardCount, call);
      const busy = shards
        .map((stored) => stored.record)
        .filter(({ phase, writer }) => {
          return jobOfShardPhase[phase] === 'backfill' && showsLife(writer, now(), staleAfterMs);
        });
      // One that has no snapshot yet will open it where its primary is.
      const needsRouting = busy.some(({ snapshot }) => snapshot === undefined);
      const { state } = indices.source(record.sourceIndex);
      const primaries = needsRouting ? (await state.readRouting(call)).primaries : [];
      const homes = new Map(primaries.map((primary) => [primary.shard, primary.nodeId]));
      for (const { key, shard, snapshot } of busy) {
        if ((snapshot?.nodeId ?? homes.get(shard)) === nodeId) working.push(shardJobName(key, shard));
      }
    }
    return working;
  }

  /** Trouble with Redis is no shard's failure: without an answer there is no permit. */
  async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      onQueueError(error);
      return undefined;
    }
  }

  return {
    nodeId,
    async isGranted(call) {
      // Side by side: all of them are read after this job's claim, and the copy waits for the slowest alone.
      const [active, working, limit] = await Promise.all([
        ask(() => queues.backfills.listActive(nodeId)),
        listWorking(call),
        readPermits(store, call),
      ]);
      if (active === undefined) return false;
      if (isPermitGranted({ limit, active, working, self: name })) return true;
      // The queue would not have given the job out, had it known the limit.
      await ask(() => queues.backfills.applyPermits());
      return false;
    },
  };
}
