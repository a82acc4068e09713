import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Figures of the runtime that this leaves out: each walks all handles of the process, and six walks of a thousand
 * connections keep it from answering for several milliseconds. The one that stays reports all of them by kind.
 */
const dearMetrics = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** A registry whose figures carry the app's name, with those of the process and of Node in it. */
export function createRegistry(app: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  for (const name of dearMetrics) registry.removeSingleMetric(name);
  return registry;
}
