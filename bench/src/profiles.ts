import { callRaw, createHttpClient } from '@aosc/testkit';

/** `aosc.*` settings that are set together. */
export type Profile = Readonly<Record<string, string | number>>;

/** The contract's low-impact profile (section 8), for clusters with live search traffic. */
export const lowImpact = {
  'aosc.backfill.controller.batch.max_docs': 500,
  'aosc.backfill.controller.batch.size': 500,
  'aosc.backfill.read.page_size': 1000,
  'aosc.backfill.controller.type': 'adaptive_batch',
  'aosc.replay.controller.batch.max_docs': 500,
  'aosc.replay.controller.batch.size': 500,
  'aosc.replay.controller.type': 'adaptive_batch',
  'aosc.defaults.convergence_threshold': 500,
  'aosc.backfill.max_concurrent_per_node': 1,
} as const satisfies Profile;

/** The contract's high-throughput profile (section 8), for clusters that are offline or only written to. */
export const highThroughput = {
  'aosc.backfill.controller.batch.max_docs': 5000,
  'aosc.backfill.controller.batch.size': 5000,
  'aosc.backfill.read.page_size': 5000,
  'aosc.backfill.controller.type': 'adaptive',
  'aosc.replay.controller.batch.max_docs': 5000,
  'aosc.replay.controller.batch.size': 5000,
  'aosc.replay.controller.type': 'adaptive_batch',
  'aosc.defaults.convergence_threshold': 5000,
  'aosc.backfill.max_concurrent_per_node': 10,
} as const satisfies Profile;

/** Sets a profile for all migrations to come. */
export async function applyProfile(apiUrl: string, profile: Profile): Promise<void> {
  const api = createHttpClient([apiUrl]);
  try {
    const body = JSON.stringify({ persistent: profile });
    await callRaw(api, { method: 'PUT', path: '/_cluster/settings', body });
  } finally {
    api.close();
  }
}
