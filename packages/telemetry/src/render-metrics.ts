import { type NodeConnections, within } from '@aosc/signals';
import type { Metrics } from './metrics';
import type { Readiness } from './readiness';

/**
 * Below the ten seconds that Prometheus waits by default, because figures matter most when a server hangs. Above the
 * five that a command to Redis may take, so that the other checks still report.
 */
const limitMs = 6_500;

/**
 * All figures as text, after a check whether the process can work. Concurrent calls share one check.
 * @returns renders them
 */
export function createRenderer(
  metrics: Pick<Metrics, 'setNodes' | 'setReadiness' | 'render'>,
  ready: () => Promise<Readiness>,
  nodes: () => readonly NodeConnections[],
): () => Promise<string> {
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    // Undefined when the check has failed, or has not ended in time.
    metrics.setReadiness(await within(limitMs, ready()).catch(() => undefined));
  };
  return async () => {
    looking ??= look().finally(() => (looking = undefined));
    await looking;
    metrics.setNodes(nodes());
    return metrics.render();
  };
}
