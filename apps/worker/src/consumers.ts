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
}

/**
 * All queues this worker takes jobs from: replay, catch-up (with slots of its own, so that nothing holds it up), verify,
 * and one backfill queue for each data node, followed as nodes come and go.
 */
export async function startFleet(
  options: FleetOptions,
  cluster: Cluster,
  logger: Logger,
  signal: AbortSignal,
): Promise<Consumer> {
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
  const leaving = new Set<Promise<void>>();

  const follow = async (): Promise<void> => {
    const nodes = new Set(await cluster.ports.dataNodes({ signal }));
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
      const left = consumer.close(lockDurationMs).finally(() => leaving.delete(left));
      leaving.add(left);
    }
  };
  await follow();
  const ticks = startTicks(nodesPollMs, follow, (error) =>
    logger.warn('the data nodes could not be listed, the known ones stay', { error }),
  );

  return {
    async close(graceMs) {
      ticks.stop();
      const closed = [...fixed, ...byNode.values()].map((consumer) => consumer.close(graceMs));
      await Promise.all([...closed, ...leaving]);
    },
  };
}
