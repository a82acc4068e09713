import type { ListAnswer, ListItem } from '@aosc/client';
import type { Paint } from '../output/paint';
import { fit, formatSeconds, plain, table } from '../output/text';
import { toneOfPhase } from './tone';

const head = ['SOURCE', 'TARGET', 'ALIAS', 'PHASE', 'SHARDS', 'TIME', 'NOTE'];

interface ListFrame {
  readonly width: number;
  readonly paint: Paint;
  readonly nowMillis: number;
}

/** Migrations as a table, newest first. */
export function renderList(
  { migrations, truncated }: ListAnswer,
  { width, paint, nowMillis }: ListFrame,
): readonly string[] {
  if (migrations.length === 0) return ['no migrations'];
  const [title = '', ...rows] = table([head, ...migrations.map((item) => cellsOf(item, nowMillis))]).map(
    (line) => fit(line, width),
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

function cellsOf(item: ListItem, nowMillis: number): readonly string[] {
  const shards = Object.entries(item.shards_by_phase).map(([phase, count]) => `${String(count)} ${phase}`);
  return [
    plain(item.source_index),
    plain(item.target_index),
    plain(item.alias),
    item.phase,
    item.is_terminal ? String(item.shard_count) : shards.join(', '),
    formatSeconds(elapsedSeconds(item, nowMillis)),
    plain(item.error_message ?? ''),
  ];
}

/** The API counts up to the last change of the record, and a migration that waits changes nothing. */
function elapsedSeconds(
  { is_terminal, elapsed_seconds, start_time_millis }: ListItem,
  nowMillis: number,
): number {
  if (is_terminal) return elapsed_seconds;
  return Math.max(elapsed_seconds, Math.floor((nowMillis - start_time_millis) / 1000));
}
