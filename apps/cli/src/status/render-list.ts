import type { ListAnswer, ListItem } from '@aosc/client';
import type { Paint } from '../output/paint';
import { fit, formatSeconds, plain, table, timeOf } from '../output/text';
import { toneOfPhase } from './tone';

const head = ['SOURCE', 'TARGET', 'ALIAS', 'PHASE', 'AGE', 'TOOK', 'SHARDS', 'NOTE'];
/** Columns that `-o wide` adds in front of the note, which it shows whole. */
const wideHead = ['STARTED', 'ID'];
const noteLength = 60;

interface ListFrame {
  readonly isWide: boolean;
  readonly width: number;
  readonly paint: Paint;
  readonly nowMillis: number;
  /** what migrations wait for, by id */
  readonly waits?: ReadonlyMap<string, string>;
}

/** Migrations as a table, newest first. */
export function renderList({ migrations, truncated }: ListAnswer, frame: ListFrame): readonly string[] {
  const { width, paint, isWide } = frame;
  if (migrations.length === 0) return ['no migrations'];
  const columns = isWide ? head.toSpliced(-1, 0, ...wideHead) : head;
  const [title = '', ...rows] = table([columns, ...migrations.map((item) => cellsOf(item, frame))]).map(
    (line) => (isWide ? line : fit(line, width)),
  );
  return [
    paint('dim', title),
    ...rows.map((row, n) => {
      const item = migrations[n];
      const tone = item && toneOfPhase(item.phase);
      return tone === undefined ? row : paint(tone, row);
    }),
    ...(truncated ? [paint('dim', fit('there are more: --size shows them', width))] : []),
  ];
}

function cellsOf(item: ListItem, { nowMillis, isWide, waits = new Map() }: ListFrame): readonly string[] {
  const shards = Object.entries(item.shards_by_phase).map(([phase, count]) => `${String(count)} ${phase}`);
  return [
    plain(item.source_index),
    plain(item.target_index),
    plain(item.alias),
    item.phase,
    formatSeconds((nowMillis - item.start_time_millis) / 1000),
    formatSeconds(item.elapsed_seconds),
    item.is_terminal ? String(item.shard_count) : shards.join(', '),
    ...(isWide ? [timeOf(item.start_time_millis), plain(item.migration_id)] : []),
    fit(plain(noteOf(item, waits.get(item.migration_id))), isWide ? Number.POSITIVE_INFINITY : noteLength),
  ];
}

/** Why the migration ended so, what it waits for, or how long the swap took. */
function noteOf({ error_message: error, cutover }: ListItem, wait: string | undefined): string {
  if (error !== undefined) return error;
  if (wait !== undefined) return `waits: ${wait}`;
  return cutover?.alias_swap_succeeded === true
    ? `swapped in ${(cutover.duration_millis / 1000).toFixed(2)} s`
    : '';
}
