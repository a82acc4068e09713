import type { RedisAccess } from '@aosc/contract';
import type { JobsPort } from '@aosc/engine';
import { type DeduplicationOptions, Queue } from 'bullmq';
import { askHolder, type ConnectionRole, createConnection } from './connection';
import { explainFailure } from './explain-failure';
import { findServerProblem } from './find-server-problem';
import type { MigrationJobData, ShardJobData } from './job-data';
import {
  advanceQueue,
  catchUpQueue,
  keyPrefix,
  markKey,
  presenceKey,
  replayQueue,
  rootPrefix,
  shardJobName,
  verifyQueue,
} from './queue-names';
import { type BackfillQueues, createBackfillQueues } from './backfill-queues';
import { type BoardQueues, createBoardQueues } from './board-queues';
import { countKinds, type JobCounts } from './count-jobs';
import { createRedisMark, type RedisMark } from './redis-mark';
import { whileRedisAnswers } from './while-redis-answers';
import { createPresence, type Presence } from './presence';
import { promoteNamed, promoteStrays } from './promote-jobs';

export interface QueuesOptions extends RedisAccess {
  readonly prefix: string;
  readonly clusterUuid: string;
  readonly role: ConnectionRole;
  /** how many backfills may run at once from each data node, read at each use; 0 pauses */
  readonly readPermits: () => Promise<number>;
  readonly onError: (error: Error) => void;
}

/**
 * Puts work into Redis. Losing any of it is harmless: the scheduler's reconcile tick puts it back. 5 s without an
 * answer, or 30 s altogether, are a RedisSilentError.
 */
export interface Queues extends JobsPort {
  /** Makes a scheduler drive the migration soon. If one is driving it already, that one drives it once more. */
  wakeMigration(key: string): Promise<void>;
  readonly backfills: Pick<BackfillQueues, 'applyPermits' | 'closeQueue' | 'keepNodes' | 'listActive'>;
  readonly board: Omit<BoardQueues, 'close'>;
  readonly mark: RedisMark;
  readonly workers: Presence;
  readonly schedulers: Presence;
  /** Jobs by kind of queue; those of all data nodes together are `backfill`. @throws when Redis can't be reached */
  countJobs(): Promise<JobCounts>;
  /** @returns what is wrong with Redis, or undefined. @throws when it can't be reached */
  check(): Promise<string | undefined>;
  close(): Promise<void>;
}

async function dropJobs(queue: Queue, names: readonly string[]): Promise<void> {
  const ids = await Promise.all(names.map((name) => queue.getDeduplicationJobId(name)));
  // A running job is not removed.
  await Promise.all(ids.filter((id) => id !== null).map((id) => queue.remove(id)));
}

const queueNameOf = (kind: 'replay' | 'catch_up') => (kind === 'replay' ? replayQueue : catchUpQueue);
const keepNothing = { removeOnComplete: true, removeOnFail: true } as const;

export function createQueues(options: QueuesOptions): Queues {
  const connection = createConnection(options, options.role, options.onError);
  const root = rootPrefix(options, options.prefix);
  const prefix = keyPrefix(root, options.clusterUuid);
  const answered = <T>(work: Promise<T>) => whileRedisAnswers(connection, work);
  const queues = new Map<string, Queue>();
  const backfills = createBackfillQueues(connection, prefix, options.readPermits, options.onError);
  const board = createBoardQueues(connection, prefix, options.onError);

  const queueOf = (name: string): Queue => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue(name, { connection, prefix, skipVersionCheck: true });
    queue.on('error', options.onError);
    queues.set(name, queue);
    return queue;
  };

  const addOnce = async (name: string, job: string, deduplication: DeduplicationOptions): Promise<void> => {
    const data: MigrationJobData = { v: 1, key: deduplication.id };
    const added = queueOf(name).add(job, data, { ...keepNothing, deduplication });
    await answered(added.then(() => promoteStrays(connection, queueOf(name))));
  };
  const ensureShardJobs: Queues['ensureShardJobs'] = async (kind, key, places) => {
    if (places.length === 0) return;
    if (kind === 'backfill') return answered(backfills.ensure(key, places));
    const jobs = places.map(({ shard }) => {
      const deduplication = { id: shardJobName(key, shard) };
      const data: ShardJobData = { v: 1, key, shard };
      return { name: kind, data, opts: { ...keepNothing, deduplication } };
    });
    const queue = queueOf(queueNameOf(kind));
    await answered(queue.addBulk(jobs).then(() => promoteStrays(connection, queue)));
  };

  return {
    board,
    mark: createRedisMark(connection, markKey(root)),
    workers: createPresence(connection, presenceKey(prefix, 'workers')),
    schedulers: createPresence(connection, presenceKey(prefix, 'schedulers')),
    wakeMigration: (key) => addOnce(advanceQueue, 'advance', { id: key, keepLastIfActive: true }),
    ensureVerifyJob: (key) => addOnce(verifyQueue, 'verify', { id: key }),
    ensureShardJobs,
    async hurryReplays(key, shards) {
      const names = shards.map((shard) => shardJobName(key, shard));
      await answered(promoteNamed(queueOf(replayQueue), names));
    },
    async replaceShardJob(kind, key, place) {
      const name = shardJobName(key, place.shard);
      if (kind === 'backfill') await answered(backfills.leave(place.nodeId, name));
      // At a job's end BullMQ removes the key only if it is still that job's.
      else await answered(queueOf(queueNameOf(kind)).removeDeduplicationKey(name));
      await ensureShardJobs(kind, key, [place]);
    },
    async dropShardJobs(key, shardCount) {
      const names = Array.from({ length: shardCount }, (_, shard) => shardJobName(key, shard));
      await answered(backfills.drop(names));
      for (const name of [replayQueue, catchUpQueue]) await answered(dropJobs(queueOf(name), names));
    },
    backfills: {
      applyPermits: () => answered(backfills.applyPermits()),
      closeQueue: (nodeId) => backfills.closeQueue(nodeId),
      keepNodes: (nodeIds) => answered(backfills.keepNodes(nodeIds)),
      listActive: (nodeId) => answered(backfills.listActive(nodeId)),
    },
    countJobs: () => answered(countKinds(queueOf, () => backfills.countJobs())),
    async check() {
      try {
        await askHolder(connection, markKey(root), 'ping');
        return await findServerProblem(connection, markKey(root));
      } catch (error) {
        throw error instanceof Error ? explainFailure(error) : error;
      }
    },
    async close() {
      await Promise.all([backfills, board, ...queues.values()].map((each) => each.close()));
      connection.disconnect();
    },
  };
}
