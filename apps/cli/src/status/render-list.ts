import type { ListAnswer, ListItem } from '@aosc/client';
import type { Paint } from '../output/paint';
import { fit, formatSeconds, plain, table } from '../output/text';
import { toneOfPhase } from './tone';

const head = ['SOURCE', 'TARGET', 'ALIAS', 'PHASE', 'SHARDS', 'TIME', 'NOTE'];

/** Migrations as a table, newest first. */
export function renderList(
  { migrations, truncated }: ListAnswer,
  width: number,
  paint: Paint,
): readonly string[] {
  if (migrations.length === 0) return ['no migrations'];
  const [title = '', ...rows] = table([head, ...migrations.map(cellsOf)]).map((line) => fit(line, width));
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

function cellsOf(item: ListItem): readonly string[] {
  const shards = Object.entries(item.shards_by_phase).map(([phase, count]) => `${String(count)} ${phase}`);
  return [
    plain(item.source_index),
    plain(item.target_index),
    plain(item.alias),
    item.phase,
    item.is_terminal ? String(item.shard_count) : shards.join(', '),
    formatSeconds(item.elapsed_seconds),
    plain(item.error_message ?? ''),
  ];
}
