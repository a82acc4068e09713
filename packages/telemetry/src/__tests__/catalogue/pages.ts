import { join } from 'node:path';
import { findEmissions, renderEvents } from './event-catalogue';
import { findSetters, readMetrics, renderMetrics } from './metric-catalogue';
import { readSources, renewPage, root } from './sources';

/** The pages whose lists are made from the sources. */
export const pages = [
  {
    name: 'metrics.md',
    path: join(root, 'docs/reference/metrics.md'),
    renew: async (page: string): Promise<string> =>
      renewPage(page, renderMetrics(await readMetrics(), findSetters(readSources()))),
  },
  {
    name: 'log-events.md',
    path: join(root, 'docs/reference/log-events.md'),
    renew: (page: string): Promise<string> =>
      Promise.resolve(renewPage(page, renderEvents(findEmissions(readSources())))),
  },
] as const;
