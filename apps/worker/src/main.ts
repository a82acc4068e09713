import { hostname } from 'node:os';
import { parseEnv } from '@aosc/config';
import { NodeWatch } from '@aosc/engine';
import { findMigrationKey } from '@aosc/queue';
import { openProcess, runProcess, systemClock } from '@aosc/runtime';
import { type FleetOptions, startFleet } from './consumers';
import { collectGarbageLater } from './garbage-policy';
import { createPrintMemory } from './print-memory';
import { createShardHandlers } from './shard-handler';
import { createPacing } from './shard-pacing';
import { createShardMetrics } from './shard-metrics';
import { createVerifyHandler } from './verify-handler';

async function main(): Promise<void> {
  const config = parseEnv(process.env, 'worker');
  const service = await openProcess('worker', config);
  const { cluster, queues, logger, settings, signal } = service;
  service.onClose(collectGarbageLater());
  const shared = {
    cluster,
    logger,
    pacing: createPacing(() => settings.current()),
    printMemory: createPrintMemory(),
    timing: {
      heartbeatMs: config.heartbeatMs,
      staleAfterMs: config.lockDurationMs,
      confirmMs: 2.5 * config.heartbeatMs,
      snapshotKeepAliveMs: config.snapshotKeepAliveMs,
      requestTimeoutMs: config.requestTimeoutMs,
      replayIntervalMs: config.replayIntervalMs,
      convergedRestMs: config.convergedRestMs,
      sliceMs: 10_000,
    },
    signal,
  };
  const handlerOf = createShardHandlers({
    ...shared,
    queues,
    metrics: createShardMetrics(service.metrics),
    traces: service.traces,
    nodes: new NodeWatch(cluster.ports, systemClock, config.lostNodeWaitMs),
    process: `${hostname()}:${process.pid}`,
  });
  const handleVerify = createVerifyHandler({
    ...shared,
    metrics: service.metrics,
    permits: () => settings.current().backfill.maxConcurrentPerNode,
  });
  const fleetOptions: FleetOptions = {
    shared: {
      ...service.queueOptions,
      // Adding a job that is still in the queue does nothing, so a new need may have come meanwhile.
      onJobEnded: (payload) => {
        const key = findMigrationKey(payload);
        if (key !== undefined) queues.wakeMigration(key).catch(service.onQueueError);
      },
    },
    lockDurationMs: config.lockDurationMs,
    stalledCheckMs: config.stalledCheckMs,
    concurrency: {
      backfill: config.workerBackfillConcurrency,
      replay: config.workerReplayConcurrency,
      catchUp: config.workerCatchupConcurrency,
    },
    handlerOf,
    handleVerify,
    onNodeGone: (nodeId) => void queues.backfills.closeQueue(nodeId).catch(service.onQueueError),
  };
  await service.takeJobs(() => startFleet(fleetOptions, cluster, logger, signal));
}

runProcess(main);
