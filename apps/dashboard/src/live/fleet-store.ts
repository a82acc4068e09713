import type { FleetEvent, ListAnswer, ListItem, MigrationPhase } from '@aosc/client';

/** A migration as the list shows it: the stream has more fields than `_list`. */
type Data<E extends FleetEvent['event']> = Extract<FleetEvent, { readonly event: E }>['data'];
type FleetTotals = Data<'totals'>;
export type FleetItem = ListItem & Partial<Pick<Data<'migration'>, 'progress' | 'gap' | 'waiting_for'>>;

/** Whether the page shows the present state. */
export type Liveness =
  | { readonly state: 'connecting' }
  /** `by`: the stream, that of another tab, or repeated requests */
  | { readonly state: 'live'; readonly by: 'stream' | 'other_tab' | 'polls' }
  | { readonly state: 'trouble'; readonly reason: string };

export interface FleetState {
  /** by id */
  readonly migrations: ReadonlyMap<string, FleetItem>;
  readonly totals: FleetTotals;
  readonly liveness: Liveness;
  /** of the last complete look; undefined: none yet */
  readonly atMillis: number | undefined;
}

export const emptyFleet: FleetState = {
  migrations: new Map(),
  totals: { by_phase: {}, truncated: false },
  liveness: { state: 'connecting' },
  atMillis: undefined,
};

/** Applies all events of one batch at once, so that the page never shows half a batch. */
export function applyEvents(
  before: FleetState,
  events: readonly FleetEvent[],
  by: 'stream' | 'other_tab',
): FleetState {
  let migrations = before.migrations;
  let changed: Map<string, FleetItem> | undefined;
  let { totals, liveness, atMillis } = before;
  const change = (): Map<string, FleetItem> => {
    changed ??= new Map(migrations);
    migrations = changed;
    return changed;
  };
  for (const { event, data } of events) {
    switch (event) {
      case 'reset':
        changed = new Map();
        migrations = changed;
        break;
      case 'migration':
        change().set(data.migration_id, data);
        break;
      case 'gone':
        change().delete(data.migration_id);
        break;
      case 'totals':
        totals = data;
        break;
      case 'ready':
        atMillis = data.at_millis;
        if (liveness.state !== 'live' || liveness.by !== by) liveness = { state: 'live', by };
        break;
      case 'trouble':
        liveness = { state: 'trouble', reason: data.reason };
        break;
    }
  }
  return { migrations, totals, liveness, atMillis };
}

/** Applies an answer of `_list`, where there is no stream. */
export function applyList(before: FleetState, answer: ListAnswer, atMillis: number): FleetState {
  const counts: Partial<Record<MigrationPhase, number>> = {};
  for (const { phase } of answer.migrations) counts[phase] = (counts[phase] ?? 0) + 1;
  return {
    ...before,
    migrations: new Map(answer.migrations.map((item) => [item.migration_id, item])),
    totals: { by_phase: counts, truncated: answer.truncated },
    liveness: { state: 'live', by: 'polls' },
    atMillis,
  };
}

/** The newest migration of a migration's source, if that is a newer one. */
export function findNewer(
  migrations: ReadonlyMap<string, FleetItem>,
  { source_index: source, start_time_millis: start }: Pick<FleetItem, 'source_index' | 'start_time_millis'>,
): FleetItem | undefined {
  const newest = findBySource(migrations, source);
  return newest !== undefined && newest.start_time_millis > start ? newest : undefined;
}

/** The newest migration of a source. */
export function findBySource(
  migrations: ReadonlyMap<string, FleetItem>,
  source: string,
): FleetItem | undefined {
  let found: FleetItem | undefined;
  for (const migration of migrations.values()) {
    if (migration.source_index !== source) continue;
    if (found === undefined || migration.start_time_millis > found.start_time_millis) found = migration;
  }
  return found;
}
