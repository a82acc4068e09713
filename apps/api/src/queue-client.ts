import { setTimeout as sleep } from 'node:timers/promises';
import { AoscError, type RedisAccess } from '@aosc/contract';
import type { Call, ClusterPort } from '@aosc/engine';
import { type BoardQueues, createQueues, type Queues } from '@aosc/queue';
import { Installation, readPermits, systemClock, checkAll, findRecordsBlock } from '@aosc/runtime';
import type { MigrationStore } from '@aosc/store';
import type { Readiness } from '@aosc/telemetry';

/** How long to wait for a connection that has just been opened. */
const connectMs = 2_000;
const pauseMs = 50;

/** What the API needs of the queue. */
export interface QueueClient {
  /** Asks the schedulers to look at a migration now. @throws when Redis can't be reached */
  wakeMigration(key: string): Promise<void>;
  /** Queues a verification. @throws when Redis can't be reached */
  ensureVerifyJob(key: string): Promise<void>;
  /** Writes the permits into the queues of the data nodes. @throws when Redis can't be reached */
  applyPermits(): Promise<void>;
  /** @throws when Redis can't be reached */
  ping(): Promise<void>;
  /**
   * Checks whether Redis and the cluster belong together, and writes nothing.
   * @returns why not, and what to do
   * @throws when one of them can't be reached
   */
  findInstallationMismatch(): Promise<string | undefined>;
  /**
   * The queues as a board shows them, once Redis answers.
   * @throws AoscError unavailable: Redis does not answer, or OpenSearch has never said which queues there are
   */
  openBoard(): Promise<Omit<BoardQueues, 'close'>>;
}

/** The API's way to Redis, opened at its first use. */
interface OpenQueueClient extends QueueClient {
  close(): Promise<void>;
}

/**
 * Queue names hold the cluster's uuid, which only OpenSearch knows. The API starts without either server, and answers
 * `unavailable` while one is missing.
 * @param options.newCall to OpenSearch, bounded in time
 */
export function createQueueClient(options: {
  readonly access: RedisAccess;
  readonly prefix: string;
  readonly cluster: Pick<ClusterPort, 'uuid'>;
  readonly store: MigrationStore;
  readonly newCall: () => Call;
  readonly onError: (error: Error) => void;
}): OpenQueueClient {
  const { access, prefix, cluster, store, newCall, onError } = options;
  let opened: Opened | undefined;

  const open = async (): Promise<Opened> => {
    if (opened !== undefined) return opened;
    const clusterUuid = await readClusterUuid(() => cluster.uuid(newCall()));
    opened ??= openWith(
      createQueues({
        ...access,
        prefix,
        clusterUuid,
        role: 'impatient',
        readPermits: () => readPermits(store, newCall()),
        onError,
      }),
    );
    return opened;
  };
  const openWith = (queues: Queues): Opened => ({
    queues,
    installation: new Installation({ cluster, store, mark: queues.mark, clock: systemClock, claims: false }),
  });

  return {
    async ping() {
      const { queues } = await open();
      const problem = await checkWithin(queues, Date.now() + connectMs);
      if (problem !== undefined) throw new Error(problem);
    },
    async findInstallationMismatch() {
      const { queues, installation } = await open();
      await checkWithin(queues, Date.now() + connectMs);
      const look = await installation.look(newCall());
      if (look.type === 'redis_away') throw look.error;
      const { verdict } = look;
      // A Redis without names is normal: it is new, or was emptied. A Redis with the names of another cluster is not.
      const isMismatch = verdict.type === 'refused' || (verdict.type === 'wait' && verdict.strangers);
      return isMismatch ? verdict.reason : undefined;
    },
    async openBoard() {
      const { queues } = await open().catch(refuseUnknown);
      try {
        await checkWithin(queues, Date.now() + connectMs);
      } catch (cause) {
        throw new AoscError('unavailable', 'Redis does not answer, and its queues with it', { cause });
      }
      return queues.board;
    },
    wakeMigration: async (key) => (await open()).queues.wakeMigration(key),
    ensureVerifyJob: async (key) => (await open()).queues.ensureVerifyJob(key),
    applyPermits: async () => (await open()).queues.backfills.applyPermits(),
    close: async () => opened?.queues.close(),
  };
}

interface Opened {
  readonly queues: Queues;
  readonly installation: Installation;
}

async function readClusterUuid(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (cause) {
    throw new Error(
      'not asked yet: its names hold the uuid of the cluster, and OpenSearch has not sent it yet',
      {
        cause,
      },
    );
  }
}

/** @throws AoscError unavailable, always */
export function refuseUnknown(cause: unknown): never {
  const reason = "OpenSearch can't be reached, and only it knows which queues there are";
  throw new AoscError('unavailable', reason, { cause });
}

/** A connection that fails fast also fails in its first milliseconds, before it is established. */
async function checkWithin(queues: Queues, deadlineMillis: number): Promise<string | undefined> {
  for (;;) {
    try {
      return await queues.check();
    } catch (error) {
      if (Date.now() >= deadlineMillis) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * Both servers must answer and belong together, and the records must be readable and writable: otherwise no migration can
 * start. The very first check creates the index of the records, as a start would.
 */
export function checkReadiness(
  cluster: Pick<ClusterPort, 'uuid'>,
  store: Pick<MigrationStore, 'ensureIndex' | 'readSettings'>,
  findWriteBlocks: Parameters<typeof findRecordsBlock>[0],
  queueClient: QueueClient,
  newCall: () => Call,
): Promise<Readiness> {
  return checkAll({
    opensearch: () => cluster.uuid(newCall()).then(() => undefined),
    records: async () => {
      const call = newCall();
      await store.ensureIndex(call);
      // A new index takes a moment until its shard answers.
      await store.readSettings(call);
      return findRecordsBlock(findWriteBlocks, call);
    },
    redis: () => queueClient.ping().then(() => undefined),
    installation: () => queueClient.findInstallationMismatch(),
  });
}
