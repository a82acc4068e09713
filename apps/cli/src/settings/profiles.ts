/** The two profiles of docs/how-to/tune-the-load.md; a test keeps them equal. */
export const profiles = {
  'live-searches': {
    description: 'for a cluster that answers searches meanwhile',
    settings: {
      'aosc.backfill.controller.batch.max_docs': '500',
      'aosc.backfill.controller.batch.size': '500',
      'aosc.backfill.read.page_size': '1000',
      'aosc.backfill.controller.type': 'adaptive_batch',
      'aosc.replay.controller.batch.max_docs': '500',
      'aosc.replay.controller.batch.size': '500',
      'aosc.replay.controller.type': 'adaptive_batch',
      'aosc.defaults.convergence_threshold': '500',
      'aosc.backfill.max_concurrent_per_node': '1',
    },
  },
  offline: {
    description: 'for a cluster that is only written to, or not in use',
    settings: {
      'aosc.backfill.controller.batch.max_docs': '5000',
      'aosc.backfill.controller.batch.size': '5000',
      'aosc.backfill.read.page_size': '5000',
      'aosc.backfill.controller.type': 'adaptive',
      'aosc.replay.controller.batch.max_docs': '5000',
      'aosc.replay.controller.batch.size': '5000',
      'aosc.replay.controller.type': 'adaptive_batch',
      'aosc.defaults.convergence_threshold': '5000',
      'aosc.backfill.max_concurrent_per_node': '10',
    },
  },
} as const satisfies Readonly<
  Record<string, { readonly description: string; readonly settings: Readonly<Record<string, string>> }>
>;

export type ProfileName = keyof typeof profiles;
export const profileNames = Object.keys(profiles) as readonly ProfileName[];
