import type { Call, ClusterPort } from '@aosc/engine';
import type { BoardQueues, MigrationLabel } from '@aosc/queue';
import type { MigrationStore } from '@aosc/store';
import type { Logger } from '@aosc/telemetry';
import { type QueueClient, refuseUnknown } from '../queue-client';

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
  readonly queueClient: Pick<QueueClient, 'openBoard'>;
  readonly cluster: Pick<ClusterPort, 'dataNodes'>;
  readonly store: Pick<MigrationStore, 'listActive'>;
  /** bounded in time */
  readonly newCall: () => Call;
  readonly logger: Logger;
}

/**
 * Each data node has a queue, so the source asks for the nodes again and again; while OpenSearch is away, the last known
 * queues stay.
 */
export function createBoardSource(options: BoardSourceOptions): BoardSource {
  const { queueClient, cluster, store, newCall, logger } = options;
  let refreshing: Promise<void> | undefined;
  let refreshedAt = -Infinity;
  let isFollowing = false;

  const refresh = async (queues: Pick<BoardQueues, 'follow'>): Promise<void> => {
    try {
      const call = newCall();
      const [nodes, active] = await Promise.all([cluster.dataNodes(call), store.listActive(call)]);
      await queues.follow(nodes, new Map(active.map(({ record }) => [record.key, labelOf(record)])));
      isFollowing = true;
    } catch (error) {
      if (!isFollowing) refuseUnknown(error);
      logger.debug('the queues of the board could not be listed, the known ones stay', { error });
    } finally {
      refreshedAt = performance.now();
    }
  };

  return {
    async open() {
      const queues = await queueClient.openBoard();
      if (performance.now() - refreshedAt >= refreshMs) {
        refreshing ??= refresh(queues).finally(() => (refreshing = undefined));
      }
      await refreshing;
      return queues;
    },
    async close() {
      await refreshing?.catch(() => undefined);
    },
  };
}

function labelOf({ migrationId, sourceIndex, targetIndex, phase }: MigrationLabel): MigrationLabel {
  return { migrationId, sourceIndex, targetIndex, phase };
}
