import type { RedisAccess } from '@aosc/contract';
import type { ShardJobKind } from '@aosc/domain';
import {
  backfillQueue,
  catchUpQueue,
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  replayQueue,
  verifyQueue,
} from '@aosc/queue';
import type { Cluster } from '@aosc/runtime';
import { startTicks } from '@aosc/signals';
import type { Logger } from '@aosc/telemetry';

const nodesPollMs = 5000;
/** Under the write block a dead worker must be noticed in seconds. */
const catchUpLockMs = 5000;
const catchUpStalledCheckMs = 2000;

export interface FleetOptions {
  readonly shared: Pick<
    ConsumerOptions,
    keyof RedisAccess | 'prefix' | 'clusterUuid' | 'onError' | 'onJobEnded'
  >;
  readonly lockDurationMs: number;
  readonly stalledCheckMs: number;
  readonly concurrency: { readonly backfill: number; readonly replay: number; readonly catchUp: number };
  readonly handleVerify: ConsumerOptions['handle'];
  readonly handlerOf: (kind: ShardJobKind, nodeId?: string) => ConsumerOptions['handle'];
  /** called once the jobs of a data node that is gone have ended */
  readonly onNodeGone: (nodeId: string) => void;
}

/**
 * All queues this worker takes jobs from: replay, catch-up (with slots of its own, so that nothing holds it up), verify,
 * and one backfill queue for each data node, followed as nodes come and go. It waits for nothing: a data node that does
 * not answer must keep no worker from the other queues, nor from handing back what it has taken.
 */
export function startFleet(
  options: FleetOptions,
  { ports }: { readonly ports: Pick<Cluster['ports'], 'dataNodes'> },
  logger: Logger,
  signal: AbortSignal,
): Consumer {
  const { shared, concurrency, handlerOf, lockDurationMs, stalledCheckMs } = options;
  type Own = Pick<ConsumerOptions, 'concurrency'> & Partial<ConsumerOptions>;
  const consume = (queue: string, handle: ConsumerOptions['handle'], own: Own): Consumer =>
    createConsumer({ ...shared, lockDurationMs, stalledCheckMs, queue, handle, ...own });
  const fixed = [
    // A shard that rests for now must not keep a slot from a shard that has work.
    consume(replayQueue, handlerOf('replay'), { concurrency: concurrency.replay, shortDelays: 'yielding' }),
    consume(catchUpQueue, handlerOf('catch_up'), {
      lockDurationMs: Math.min(catchUpLockMs, lockDurationMs),
      stalledCheckMs: Math.min(catchUpStalledCheckMs, stalledCheckMs),
      concurrency: concurrency.catchUp,
    }),
    // It has time, and its prints take memory.
    consume(verifyQueue, options.handleVerify, { concurrency: 1, shortDelays: 'released' }),
  ];
  const byNode = new Map<string, Consumer>();
  const leaving = new Set<Consumer>();
  let closed = false;

  const follow = async (): Promise<void> => {
    const nodes = new Set(await ports.dataNodes({ signal }));
    if (closed) return;
    for (const node of nodes) {
      if (byNode.has(node)) continue;
      logger.info('taking backfills of a data node', { node });
      const own = { concurrency: concurrency.backfill, shortDelays: 'released' } as const;
      byNode.set(node, consume(backfillQueue(node), handlerOf('backfill', node), own));
    }
    for (const [node, consumer] of byNode) {
      if (nodes.has(node)) continue;
      byNode.delete(node);
      logger.info('a data node is gone', { node });
      // The loop goes on without waiting for this: new nodes may be there already.
      leaving.add(consumer);
      void consumer.close(lockDurationMs).finally(() => {
        leaving.delete(consumer);
        options.onNodeGone(node);
      });
    }
  };
  const onFailure = (error: unknown): void =>
    logger.warn('the data nodes could not be listed, the known ones stay', { error });
  follow().catch(onFailure);
  const ticks = startTicks(nodesPollMs, follow, onFailure);

  return {
    async close(graceMs) {
      closed = true;
      ticks.stop();
      // Those that leave are closed again: their own time is longer than that of a shutdown.
      const all = [...fixed, ...byNode.values(), ...leaving];
      await Promise.all(all.map((consumer) => consumer.close(graceMs)));
    },
  };
}
