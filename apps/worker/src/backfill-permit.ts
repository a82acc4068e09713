import type { ShardRecord } from '@aosc/contract';
import { isPastCopy, isPermitGranted, showsLife } from '@aosc/domain';
import { type Call, coalesceCall, type Permit, type PrimaryRouting } from '@aosc/engine';
import { type Queues, shardJobName } from '@aosc/queue';
import { readPermits } from '@aosc/runtime';
import type { MigrationStore } from '@aosc/store';

type PrimaryHome = Pick<PrimaryRouting, 'shard' | 'nodeId'>;
interface PrimaryHomes {
  readRouting(call: Call): Promise<{ readonly primaries: readonly PrimaryHome[] }>;
}

export interface PermitDependencies {
  readonly indexOf: (index: string) => { readonly state: PrimaryHomes };
  readonly store: Pick<MigrationStore, 'listRunning' | 'pollShardsNamed' | 'readSettings'>;
  readonly queues: { readonly backfills: Pick<Queues['backfills'], 'listActive' | 'applyPermits'> };
  readonly staleAfterMs: number;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly onQueueError: (error: unknown) => void;
  /** of the process */
  readonly signal: AbortSignal;
}

/** A shard whose record says that it waits for its copy, or that the copy runs. */
interface CopyUnderWay {
  readonly record: ShardRecord;
  readonly sourceIndex: string;
}

/**
 * Reads the shards of all running migrations that are not past their copy, in a number of requests that does not grow
 * with the number of migrations. Of the records that this process has read before, it fetches those that have changed.
 */
async function readCopiesUnderWay(
  store: Pick<MigrationStore, 'listRunning' | 'pollShardsNamed'>,
  call: Call,
): Promise<readonly CopyUnderWay[]> {
  const running = await store.listRunning(call);
  const names = running.flatMap(({ key, sourceShardCount }) =>
    Array.from({ length: sourceShardCount }, (_, shard) => ({ key, shard })),
  );
  const sources = new Map(running.map(({ key, sourceIndex }) => [key, sourceIndex]));
  return (await store.pollShardsNamed(names, call)).flatMap(({ record }) => {
    const sourceIndex = sources.get(record.key);
    return sourceIndex === undefined || isPastCopy(record.phase) ? [] : [{ record, sourceIndex }];
  });
}

/**
 * Makes the permits that jobs from the nodes' queues ask for: one for each job, by the node and the name of the job's
 * shard. The limit in Redis may be old, or gone after FLUSHALL, so this reads the setting again, and counts the shards
 * at work in the queue and in their records. Jobs that ask at the same time share one read of OpenSearch, which begins
 * only after each of them has claimed its shard.
 */
export function createBackfillPermits(
  dependencies: PermitDependencies,
): (nodeId: string, name: string) => Permit {
  const { indexOf, store, queues, staleAfterMs, now, onQueueError, signal } = dependencies;
  const readTogether = coalesceCall(
    (call) => Promise.all([readCopiesUnderWay(store, call), readPermits(store, call)]),
    signal,
  );

  /** Where the primaries of these copies are: nodes by shard, by source index. */
  async function readHomes(
    copies: readonly CopyUnderWay[],
    call: Call,
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, PrimaryHome['nodeId']>>> {
    const sources = [...new Set(copies.map(({ sourceIndex }) => sourceIndex))];
    const homes = sources.map(async (source) => {
      const { primaries } = await indexOf(source).state.readRouting(call);
      return [source, new Map(primaries.map((primary) => [primary.shard, primary.nodeId]))] as const;
    });
    return new Map(await Promise.all(homes));
  }

  /** Of these copies those that are read from the node, though Redis knows no active job of theirs. */
  async function listForgotten(
    copies: readonly CopyUnderWay[],
    active: readonly string[],
    nodeId: string,
    call: Call,
  ): Promise<readonly string[]> {
    const known = new Set(active);
    const forgotten = copies
      .map((copy) => ({ ...copy, name: shardJobName(copy.record.key, copy.record.shard) }))
      .filter(({ name }) => !known.has(name));
    // A shard without a snapshot will open its first where its primary is.
    const homes = await readHomes(
      forgotten.filter(({ record }) => record.snapshot === undefined),
      call,
    );
    return forgotten
      .filter(({ record: { snapshot, shard }, sourceIndex }) => {
        return (snapshot?.nodeId ?? homes.get(sourceIndex)?.get(shard)) === nodeId;
      })
      .map(({ name }) => name);
  }

  /** Trouble with Redis is not the shard's failure: without an answer there is no permit. */
  async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      onQueueError(error);
      return undefined;
    }
  }

  return (nodeId, name) => ({
    nodeId,
    async isGranted(call) {
      // Before the records are read: a process that stands still afterwards has old records, and not dead owners.
      const askedAtMillis = now();
      const [copies, limit] = await readTogether(call);
      const living = copies.filter(({ record }) => showsLife(record.writer, askedAtMillis, staleAfterMs));
      // After the records: a job that began before their read is in the queue by now, and does not count as forgotten.
      const active = await ask(() => queues.backfills.listActive(nodeId));
      if (active === undefined) return false;
      const working = await listForgotten(living, active, nodeId, call);
      if (isPermitGranted({ limit, active, working, self: name })) return true;
      // The queue gives out a job too many only when it does not know the limit, so the limit is written again.
      await ask(() => queues.backfills.applyPermits());
      return false;
    },
  });
}
