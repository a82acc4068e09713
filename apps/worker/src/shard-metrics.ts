import type { ShardMetrics } from '@aosc/engine';
import type { Metrics } from '@aosc/telemetry';

/** Counts the engine's figures in the metrics of the process. */
export function createShardMetrics(metrics: Metrics): ShardMetrics {
  return {
    documentsCopied: (count, bytes) => metrics.countDocumentsCopied(count, bytes),
    flowing: (job, flow) => metrics.setFlow(job, flow),
    operationsReplayed: (kind, count) => metrics.countOperationsReplayed(kind, count),
    ownerLost: (how) => metrics.countOwnerLost(how),
    bulkSent(outcome) {
      metrics.countBulk(outcome === 'success' ? 'applied' : outcome === 'transient' ? 'unknown' : 'refused');
      if (outcome !== 'success' && outcome !== 'fatal') metrics.countBulkRetry();
    },
  };
}
