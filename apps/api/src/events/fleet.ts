import type { FleetEvent, FleetTotals, MigrationPhase, MigrationSummary } from '@aosc/contract';

/** So many migrations that have gone are remembered for clients that were away. */
const maxGone = 500;

interface Entry {
  readonly summary: MigrationSummary;
  readonly text: string;
  readonly version: number;
}

interface Gone {
  readonly id: string;
  readonly source: string;
  readonly version: number;
}

/** The client that events are for. */
export interface Reader {
  /** the version up to which it has seen everything; undefined: nothing */
  readonly seen: number | undefined;
  readonly mayUse: (sourceIndex: string) => boolean;
}

/**
 * What the stream of events shows, with the version at which each migration last changed. A reader that comes back gets
 * what is newer than the version it has seen, so the stream keeps nothing for an absent reader. A version is the time
 * of a look, so it does not reveal how many changes a reader may not see.
 */
export interface Fleet {
  readonly version: number;
  /** Takes a full listing. A migration that is missing from it has gone. */
  replace(all: readonly MigrationSummary[], truncated: boolean, atMillis: number): void;
  /** Takes some that were read again, and leaves the others as they are. */
  update(some: readonly MigrationSummary[], atMillis: number): void;
  /** What a reader has not seen yet, in order; begins with `reset` when the reader has to start over. */
  eventsFor(reader: Reader): readonly FleetEvent[];
  totalsFor(mayUse: Reader['mayUse']): FleetTotals;
}

export function createFleet(): Fleet {
  const entries = new Map<string, Entry>();
  let gone: Gone[] = [];
  /** readers that have seen less can't learn what has gone since */
  let forgotten = 0;
  let version = 0;
  let truncated = false;

  function put(summary: MigrationSummary): void {
    const text = JSON.stringify(summary);
    if (entries.get(summary.migration_id)?.text === text) return;
    entries.set(summary.migration_id, { summary, text, version });
  }

  function remove(id: string, { summary }: Entry): void {
    entries.delete(id);
    gone.push({ id, source: summary.source_index, version });
    if (gone.length <= maxGone) return;
    forgotten = gone[0]?.version ?? forgotten;
    gone = gone.slice(1);
  }

  return {
    get version() {
      return version;
    },
    replace(all, isTruncated, atMillis) {
      version = Math.max(version + 1, atMillis);
      const ids = new Set(all.map(({ migration_id: id }) => id));
      for (const [id, entry] of entries) if (!ids.has(id)) remove(id, entry);
      all.forEach(put);
      truncated = isTruncated;
    },
    update(some, atMillis) {
      version = Math.max(version + 1, atMillis);
      some.forEach(put);
    },
    eventsFor({ seen, mayUse }) {
      const isNew = seen === undefined || seen < forgotten || seen > version;
      const from = isNew ? -1 : seen;
      const changed = [...entries.values()]
        .filter((entry) => entry.version > from && mayUse(entry.summary.source_index))
        .sort((a, b) => a.version - b.version)
        .map(({ summary }): FleetEvent => ({ event: 'migration', data: summary }));
      if (isNew) return [{ event: 'reset', data: {} }, ...changed];
      const left = gone
        .filter((one) => one.version > from && mayUse(one.source))
        .map(({ id }): FleetEvent => ({ event: 'gone', data: { migration_id: id } }));
      return [...left, ...changed];
    },
    totalsFor(mayUse) {
      const counts: Partial<Record<MigrationPhase, number>> = {};
      for (const { summary } of entries.values()) {
        if (mayUse(summary.source_index)) counts[summary.phase] = (counts[summary.phase] ?? 0) + 1;
      }
      return { by_phase: counts, truncated };
    },
  };
}
