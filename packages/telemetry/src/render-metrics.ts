import { within } from '@aosc/signals';
import type { Metrics } from './metrics';
import type { NodeConnections } from './node-gauges';
import type { Readiness } from './readiness';

/**
 * Below the ten seconds that Prometheus waits by itself: figures are wanted most when a server hangs. Above the five that a
 * command to Redis may take, so that the checks of the others are still told.
 */
const limitMs = 6_500;

/**
 * All figures as text, after a look at whether the process can work. Looks that come while one is under way share it.
 * @returns renders them
 */
export function createRenderer(
  metrics: Pick<Metrics, 'setNodes' | 'setReadiness' | 'render'>,
  ready: () => Promise<Readiness>,
  nodes: () => readonly NodeConnections[],
): () => Promise<string> {
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    // Undefined when the look has failed, or has not ended in time.
    metrics.setReadiness(await within(limitMs, ready()).catch(() => undefined));
  };
  return async () => {
    looking ??= look().finally(() => (looking = undefined));
    await looking;
    metrics.setNodes(nodes());
    return metrics.render();
  };
}
