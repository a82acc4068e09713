/** The two profiles of docs/how-to/tune-the-load.md; a test keeps them equal. */
export const profiles = {
  careful: {
    title: 'Live searches',
    text: 'Small bulks, one shard of each data node at once: for a cluster that serves searches meanwhile.',
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
  fast: {
    title: 'Writes only, or offline',
    text: 'Large bulks, many at once: for a cluster that has nothing else to do.',
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
} as const;
export type ProfileName = keyof typeof profiles;

export interface SettingRow {
  readonly name: string;
  readonly value: string;
  /** it wins over persistent ones, and stays until it is reset */
  readonly isTransient: boolean;
}

/** All settings with the value in force. @param answer of `GET /_cluster/settings?flat_settings&include_defaults` */
export function listSettings(answer: {
  readonly persistent: object;
  readonly transient: object;
  readonly defaults?: object | undefined;
}): readonly SettingRow[] {
  const rows = new Map<string, SettingRow>();
  const take = (texts: object, isTransient: boolean): void => {
    for (const [name, value] of Object.entries(texts)) {
      if (typeof value === 'string') rows.set(name, { name, value, isTransient });
    }
  };
  take(answer.defaults ?? {}, false);
  take(answer.persistent, false);
  take(answer.transient, true);
  return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface SettingDiff {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** a transient value stays in force */
  readonly isHidden: boolean;
}

/** What applying these settings would change. */
export function diffSettings(
  rows: readonly SettingRow[],
  wanted: Readonly<Record<string, string>>,
): readonly SettingDiff[] {
  const now = new Map(rows.map((row) => [row.name, row]));
  return Object.entries(wanted)
    .map(([name, to]) => ({
      name,
      from: now.get(name)?.value ?? '',
      to,
      isHidden: now.get(name)?.isTransient === true,
    }))
    .filter(({ from, to }) => from !== to);
}
