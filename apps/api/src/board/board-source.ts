import { AoscError, type RedisAccess } from '@aosc/contract';
import type { Call, ClusterPort } from '@aosc/engine';
import { type BoardQueues, createBoardQueues, type MigrationLabel } from '@aosc/queue';
import type { MigrationStore } from '@aosc/store';
import { tellQueueTrouble } from '@aosc/runtime';
import type { Logger } from '@aosc/telemetry';

/** Data nodes and migrations are read at most this often, however many people watch the board. */
const refreshMs = 2_000;

/** Where the board gets its queues from. */
export interface BoardSource {
  /**
   * The queues as they are now, once Redis answers.
   * @throws AoscError unavailable: Redis does not answer, or OpenSearch has never said which queues there are
   */
  open(): Promise<Pick<BoardQueues, 'list'>>;
  close(): Promise<void>;
}

export interface BoardSourceOptions {
  readonly access: RedisAccess;
  readonly prefix: string;
  readonly cluster: Pick<ClusterPort, 'uuid' | 'dataNodes'>;
  readonly store: Pick<MigrationStore, 'listActive'>;
  /** bounded in time */
  readonly newCall: () => Call;
  readonly logger: Logger;
}

/**
 * Opens the queues when the board is first looked at. Each data node has a queue, so the source asks for the nodes
 * again and again; while OpenSearch is away, the last known queues stay.
 */
export function createBoardSource(options: BoardSourceOptions): BoardSource {
  const { access, prefix, cluster, store, newCall, logger } = options;
  let opening: Promise<BoardQueues> | undefined;
  let refreshing: Promise<void> | undefined;
  let refreshedAt = -Infinity;
  let isFollowing = false;

  const openOnce = async (): Promise<BoardQueues> => {
    const clusterUuid = await cluster.uuid(newCall());
    return createBoardQueues({ ...access, prefix, clusterUuid, onError: tellQueueTrouble(logger) });
  };

  const refresh = async (queues: BoardQueues): Promise<void> => {
    try {
      const call = newCall();
      const [nodes, active] = await Promise.all([cluster.dataNodes(call), store.listActive(call)]);
      await queues.follow(nodes, new Map(active.map(({ record }) => [record.key, labelOf(record)])));
      isFollowing = true;
    } catch (error) {
      if (!isFollowing) throw unknownQueues(error);
      logger.debug('the queues of the board could not be listed, the known ones stay', { error });
    } finally {
      refreshedAt = performance.now();
    }
  };

  return {
    async open() {
      opening ??= openOnce();
      const queues = await opening.catch((error: unknown) => {
        opening = undefined;
        throw unknownQueues(error);
      });
      try {
        await queues.ping();
      } catch (cause) {
        throw new AoscError('unavailable', 'Redis does not answer, and its queues with it', { cause });
      }
      if (performance.now() - refreshedAt >= refreshMs) {
        refreshing ??= refresh(queues).finally(() => (refreshing = undefined));
      }
      await refreshing;
      return queues;
    },
    async close() {
      const queues = await opening?.catch(() => undefined);
      await refreshing?.catch(() => undefined);
      await queues?.close();
    },
  };
}

function labelOf({ migrationId, sourceIndex, targetIndex, phase }: MigrationLabel): MigrationLabel {
  return { migrationId, sourceIndex, targetIndex, phase };
}

function unknownQueues(cause: unknown): AoscError {
  return new AoscError(
    'unavailable',
    "OpenSearch can't be reached, and only it knows which queues there are",
    {
      cause,
    },
  );
}
