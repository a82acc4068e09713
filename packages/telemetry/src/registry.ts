import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Left out of what the runtime tells: each walks all handles of the process, and six walks of a thousand connections
 * keep it from answering for several milliseconds.
 */
const dearMetrics = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/** A registry whose figures carry the app's name, with those of the process and of Node in it. */
export function createRegistry(app: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  for (const name of dearMetrics) registry.removeSingleMetric(name);
  return registry;
}
