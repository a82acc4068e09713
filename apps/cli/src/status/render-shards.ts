import type { MigrationStatus, ShardPhase, ShardStatus } from '@aosc/client';
import type { Tone } from '../output/paint';
import { bar, fit, formatSeconds, group, plain } from '../output/text';
import type { Frame } from './frame';
import { gapOf, shardsOf, shareOf, type ShardEntry } from './totals';

const barWidth = 20;
const ended: readonly ShardPhase[] = ['COMPLETED', 'CANCELLED', 'FAILED'];

/** A line for each shard; when there is no room for that, a cell for each. */
export function renderShards(status: MigrationStatus, frame: Frame): readonly string[] {
  const shards = shardsOf(status);
  if (shards.length <= frame.height) return shards.map((entry) => renderLine(entry, frame));
  return renderGrid(shards, frame);
}

function renderLine([shard, status]: ShardEntry, { width, paint }: Frame): string {
  const share = shareOf(status);
  const percent = share === undefined ? '  ?%' : `${String(Math.floor(share * 100)).padStart(3)}%`;
  const done = status.backfill?.documents_indexed ?? 0;
  const text = fit(
    `shard ${String(shard).padStart(3)} [${bar(share ?? 0, barWidth)}] ${percent}  ` +
      `${status.phase.padEnd(15)} ${group(done).padStart(11)} docs${details(status)}`,
    width,
  );
  const tone = toneOf(status.phase);
  return tone === undefined ? text : paint(tone, text);
}

function details(status: ShardStatus): string {
  const { phase, progress, flow, error } = status;
  const isRunning = !ended.includes(phase);
  const gap = gapOf(status);
  return [
    ...(!isRunning || progress?.documents_per_second === undefined
      ? []
      : [`${group(progress.documents_per_second)} docs/s`]),
    ...(!isRunning || progress?.remaining_seconds === undefined
      ? []
      : [`${formatSeconds(progress.remaining_seconds)} left`]),
    ...(isRunning && gap > 0 ? [`gap ${group(gap)}`] : []),
    ...(!isRunning || flow?.paused_until_millis === undefined ? [] : ['paused']),
    ...(error === undefined ? [] : [plain(error)]),
  ]
    .map((part) => `  ${part}`)
    .join('');
}

/** What stands for a shard in the grid. BACKFILLING is a digit: how many tenths are copied. */
const cells: Readonly<Record<Exclude<ShardPhase, 'BACKFILLING'>, string>> = {
  PENDING: '.',
  ACQUIRING_LEASE: '.',
  CONVERGING: 'r',
  CONVERGED: 'c',
  CATCHING_UP: 'u',
  COMPLETING: '+',
  COMPLETED: '+',
  CANCELLED: 'x',
  FAILING: '!',
  FAILED: '!',
};
const legend =
  '. waits  0-9 tenths copied  r replays  c converged  u catches up  + done  x cancelled  ! failed';

function cellOf(status: ShardStatus): string {
  if (status.phase !== 'BACKFILLING') return cells[status.phase];
  return String(Math.min(9, Math.floor((shareOf(status) ?? 0) * 10)));
}

/** Rows of 50 cells, or as many as fit; the rows that have no place are counted. */
function renderGrid(shards: readonly ShardEntry[], { width, height, paint }: Frame): readonly string[] {
  const label = 7;
  const perRow = Math.max(10, Math.min(50, Math.floor((width - label) / 10) * 10));
  const rows: string[] = [];
  for (let at = 0; at < shards.length; at += perRow) {
    const row = shards.slice(at, at + perRow);
    const painted = row.map(([, status]) => {
      const tone = toneOf(status.phase);
      return tone === undefined ? cellOf(status) : paint(tone, cellOf(status));
    });
    rows.push(`${String(row[0]?.[0] ?? 0).padStart(label - 2)}  ${painted.join('')}`);
  }
  const room = Math.max(1, height - 1);
  const shown = rows.length <= room ? rows : rows.slice(0, Math.max(0, room - 1));
  const hidden = shards.length - shown.length * perRow;
  return [
    ...shown,
    ...(rows.length > room ? [fit(`     … and ${hidden} shards more`, width)] : []),
    paint('dim', fit(legend, width)),
  ];
}

function toneOf(phase: ShardPhase): Tone | undefined {
  if (phase === 'FAILED' || phase === 'FAILING') return 'bad';
  if (phase === 'CANCELLED') return 'warn';
  return phase === 'COMPLETED' || phase === 'COMPLETING' ? 'good' : undefined;
}
