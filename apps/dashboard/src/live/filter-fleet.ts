import type { FleetItem } from './fleet-store';

export const groups = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
/** The groups that people look for first; every migration is in one of them. */
export type Group = (typeof groups)[number];

export function groupOf({ phase, waiting_for: waiting }: FleetItem): Group {
  if (phase === 'COMPLETED') return 'completed';
  if (phase === 'FAILED') return 'failed';
  if (phase === 'CANCELLED') return 'cancelled';
  return waiting === undefined ? 'running' : 'waiting';
}

export const sorts = ['newest', 'oldest', 'name', 'progress', 'gap', 'rate', 'remaining'] as const;
export type Sort = (typeof sorts)[number];

export interface FleetFilter {
  readonly text: string;
  /** undefined: all */
  readonly group: Group | undefined;
  readonly sort: Sort;
}

/** The filter that the address names; an unknown value counts as missing. */
export function readFilter(params: URLSearchParams): FleetFilter {
  const group = groups.find((name) => name === params.get('state'));
  const sort = sorts.find((name) => name === params.get('sort')) ?? 'newest';
  return { text: params.get('q') ?? '', group, sort };
}

export function writeFilter({ text, group, sort }: FleetFilter): URLSearchParams {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (group !== undefined) params.set('state', group);
  if (sort !== 'newest') params.set('sort', sort);
  return params;
}

/** The migrations to show, in order. Every word of the text must be in one of the names. */
export function filterFleet(
  all: Iterable<FleetItem>,
  { text, group, sort }: FleetFilter,
): readonly FleetItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return [...all]
    .filter((migration) => group === undefined || groupOf(migration) === group)
    .filter((migration) => {
      if (words.length === 0) return true;
      const names = namesOf(migration);
      return words.every((word) => names.includes(word));
    })
    .sort((a, b) => compare[sort](a, b) || b.start_time_millis - a.start_time_millis || byName(a, b));
}

export function countGroups(all: Iterable<FleetItem>): Readonly<Record<Group, number>> {
  const counts = { running: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const migration of all) counts[groupOf(migration)] += 1;
  return counts;
}

const namesOf = ({ source_index, target_index, alias, migration_id, phase }: FleetItem): string =>
  `${source_index} ${target_index} ${alias} ${migration_id} ${phase}`.toLowerCase();

const byName = (a: FleetItem, b: FleetItem): number =>
  a.source_index < b.source_index ? -1 : a.source_index > b.source_index ? 1 : 0;

/** Migrations without a figure come last. */
const byFigure =
  (figureOf: (migration: FleetItem) => number | undefined) =>
  (a: FleetItem, b: FleetItem): number => {
    const [x, y] = [figureOf(a), figureOf(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return y - x;
  };

const compare: Readonly<Record<Sort, (a: FleetItem, b: FleetItem) => number>> = {
  newest: () => 0,
  oldest: (a, b) => a.start_time_millis - b.start_time_millis,
  name: byName,
  progress: byFigure(progressOf),
  gap: byFigure(({ gap }) => gap),
  rate: byFigure(({ progress }) => progress?.documents_per_second),
  remaining: byFigure(({ progress }) => progress?.remaining_seconds),
};

/** In percent, of the first copy; undefined: nothing is known. */
export function progressOf({ progress, phase }: FleetItem): number | undefined {
  return phase === 'COMPLETED' ? 100 : progress?.copied_percent;
}
