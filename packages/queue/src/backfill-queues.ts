import { NewerVersionError, ShapeError } from '@aosc/contract';
import { fairPriorities, type WaitingJob } from '@aosc/domain';
import type { ShardPlace } from '@aosc/engine';
import { type Job, Queue } from 'bullmq';
import type { Connection } from './connection';
import { parseShardJob, type ShardJobData } from './job-data';
import { countJobs } from './count-jobs';
import { forgetQueue } from './forget-queue';
import { scanKeys } from './open-briefly';
import { promoteStrays } from './promote-jobs';
import { backfillQueue, nodeOfQueue, nodesKey, shardJobName } from './queue-names';

/** Jobs in one call to Redis. */
const maxBatch = 500;
/** Changes of the setting that one write follows; the next tick does the rest. */
const maxWrites = 5;
const keepNothing = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * One queue for each data node. Its global concurrency is the number of permits, and an active job holds one.
 * @param prefix BullMQ's, with the cluster's uuid
 * @param readPermits the setting, read at each call
 */
// eslint-disable-next-line max-lines-per-function -- one closure: its short functions share the state above them
export function createBackfillQueues(
  connection: Connection,
  prefix: string,
  readPermits: () => Promise<number>,
  onError: (error: Error) => void,
) {
  const queues = new Map<string, Queue<unknown>>();
  /** All processes share this list; when Redis is emptied, it disappears with the queues. */
  const known = nodesKey(prefix);
  let cursor = '0';

  const queueOf = (nodeId: string): Queue<unknown> => {
    const opened = queues.get(nodeId);
    if (opened !== undefined) return opened;
    const name = backfillQueue(nodeId);
    // Without its metadata: a look at a removed queue must not create it again.
    const queue = new Queue<unknown>(name, {
      connection,
      prefix,
      skipVersionCheck: true,
      skipMetasUpdate: true,
    });
    queue.on('error', onError);
    queues.set(nodeId, queue);
    return queue;
  };

  /**
   * Writes a node's permits. BullMQ wakes no worker when the limit changes; resuming does. An operator's pause stays.
   * @returns whether the value has changed
   */
  const writePermits = async (nodeId: string, permits: number): Promise<boolean> => {
    const queue = queueOf(nodeId);
    if ((await queue.getGlobalConcurrency()) === permits) return false;
    await queue.setGlobalConcurrency(permits);
    if (!(await queue.isPaused())) await queue.resume();
    return true;
  };

  /** A slow process may write an outdated value, so it reads again after it has written. */
  const applyTo = async (listNodes: () => Promise<readonly string[]>): Promise<void> => {
    let permits = await readPermits();
    for (let write = 1; write <= maxWrites; write += 1) {
      let changed = false;
      for (const nodeId of await listNodes()) if (await writePermits(nodeId, permits)) changed = true;
      if (!changed) return;
      const now = await readPermits();
      if (now === permits) return;
      permits = now;
    }
  };

  /** Ids of these shards' jobs in a node's queue, waiting or running; null for shards without one. */
  const findJobs = async (nodeId: string, names: readonly string[]): Promise<readonly (string | null)[]> => {
    const queue = queueOf(nodeId);
    const found: (string | null)[] = [];
    for (let from = 0; from < names.length; from += maxBatch) {
      const keys = names.slice(from, from + maxBatch).map((name) => queue.toKey(`de:${name}`));
      found.push(...(await connection.mget(keys)));
    }
    return found;
  };

  /** @param nodeId undefined: leaves all nodes */
  const leaveOtherNodes = async (nodeId: string | undefined, names: readonly string[]): Promise<void> => {
    for (const other of await connection.smembers(known)) {
      if (other === nodeId) continue;
      const ids = (await findJobs(other, names)).filter((id) => id !== null);
      // A running job stays: it notices by itself that its primary has moved.
      for (let from = 0; from < ids.length; from += maxBatch)
        await Promise.all(ids.slice(from, from + maxBatch).map((id) => queueOf(other).remove(id)));
    }
  };

  const ensureOn = async (nodeId: string, key: string, shards: readonly number[]): Promise<void> => {
    await promoteStrays(connection, queueOf(nodeId));
    const ids = await findJobs(
      nodeId,
      shards.map((shard) => shardJobName(key, shard)),
    );
    const missing = shards.filter((_, i) => ids[i] === null);
    if (missing.length === 0) return;
    const names = missing.map((shard) => shardJobName(key, shard));
    await leaveOtherNodes(nodeId, names);
    await connection.sadd(known, nodeId);
    // FLUSHALL removes the limit, which means unlimited.
    await applyTo(() => Promise.resolve([nodeId]));
    const queue = queueOf(nodeId);
    const waiting = (await queue.getPrioritized()).flatMap(describeWaiting);
    const priorities = fairPriorities(waiting, key, missing.length);
    const jobs = missing.map((shard, i) => ({
      name: 'backfill',
      data: { v: 1, key, shard } satisfies ShardJobData,
      opts: {
        ...keepNothing,
        priority: priorities[i] ?? 0,
        deduplication: { id: shardJobName(key, shard) },
      },
    }));
    for (let from = 0; from < jobs.length; from += maxBatch)
      await queue.addBulk(jobs.slice(from, from + maxBatch));
  };

  /** Finds queues in no list, one step through Redis at a time: a late worker may have touched a removed one. */
  const findUnknown = async (): Promise<void> => {
    const wanted = { prefix, pattern: `:${backfillQueue('*')}:meta`, cursor };
    const [next, keys] = await scanKeys(connection, known, wanted);
    cursor = next;
    const nodes = keys.map((key) => nodeOfQueue(key.slice(prefix.length + 1, -':meta'.length)));
    if (nodes.length > 0) await connection.sadd(known, ...nodes);
  };

  /** Closes what this process has opened; the next use opens it again. */
  const closeQueue = async (nodeId: string): Promise<void> => {
    const queue = queues.get(nodeId);
    queues.delete(nodeId);
    await queue?.close();
  };

  return {
    closeQueue,
    /**
     * Queues these shards of a migration where they are not queued yet, in turns with those of other migrations, after it
     * has written the permits. Removes jobs that wait in another node's queue.
     */
    async ensure(key: string, places: readonly ShardPlace[]): Promise<void> {
      const byNode = new Map<string, number[]>();
      for (const { shard, nodeId } of places) byNode.set(nodeId, [...(byNode.get(nodeId) ?? []), shard]);
      for (const [nodeId, shards] of byNode) await ensureOn(nodeId, key, shards);
    },
    /** Frees the shard's name of a running job, so that the next `ensure` queues another. */
    async leave(nodeId: string, name: string): Promise<void> {
      await queueOf(nodeId).removeDeduplicationKey(name);
    },
    /** Removes these shards' jobs from the queues of all nodes, except those that are running. */
    drop: (names: readonly string[]) => leaveOtherNodes(undefined, names),
    /** Writes the permits to all queues. Reads them before and after, so that an old value does not stay. */
    applyPermits: () => applyTo(() => connection.smembers(known)),
    /** Names of the shards whose jobs hold or ask for a permit of the node, the oldest first. */
    async listActive(nodeId: string): Promise<readonly string[]> {
      const active = await queueOf(nodeId).getActive();
      return active.map((job) => {
        const shard = readShard(job);
        // A stranger's job counts until a worker has found out that it can't work on it.
        return shard === undefined ? `job ${job.id ?? '?'}` : shardJobName(shard.key, shard.shard);
      });
    },
    /** The jobs of all nodes together. */
    countJobs: async () => countJobs((await connection.smembers(known)).map(queueOf)),
    /** Removes the queues of all other nodes, except those with a running job, and closes those that are removed. */
    async keepNodes(nodeIds: readonly string[]): Promise<void> {
      await findUnknown();
      const kept = new Set(nodeIds);
      for (const nodeId of await connection.smembers(known)) {
        if (kept.has(nodeId)) continue;
        if (!(await forgetQueue(connection, queueOf(nodeId).toKey(''), { known, nodeId }))) kept.add(nodeId);
      }
      // Another process may have removed some of them.
      await Promise.all([...queues.keys()].filter((nodeId) => !kept.has(nodeId)).map(closeQueue));
    },
    async close() {
      await Promise.all([...queues.keys()].map(closeQueue));
    },
  };
}
export type BackfillQueues = ReturnType<typeof createBackfillQueues>;

function describeWaiting(job: Job<unknown>): readonly WaitingJob[] {
  const shard = readShard(job);
  return shard === undefined ? [] : [{ key: shard.key, priority: job.priority }];
}

/** @returns undefined for a job that this version of the service has not created */
function readShard({ data }: Job<unknown>): ShardJobData | undefined {
  try {
    return parseShardJob(data);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof NewerVersionError) return undefined;
    throw error;
  }
}
