import type { ShardStatus, StatusCounters, StatusDocument } from '@aosc/testkit';

/** What the view knows besides the status document. */
export interface ProgressContext {
  /** documents that each source shard held when the migration was started, by shard number */
  readonly documentsByShard: Readonly<Record<string, number>>;
  readonly nowMillis: number;
  readonly writers: { readonly operations: number; readonly longestPauseMs: number };
}

const phases = [
  'ACTIVE',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
] as const;
/** in these a shard has not copied all of its documents yet */
const copying: readonly string[] = ['PENDING', 'ACQUIRING_LEASE', 'BACKFILLING'];
const barWidth = 30;

/** The progress of a migration as lines of text. */
export function renderProgress(status: StatusDocument, context: ProgressContext): string[] {
  const shards = Object.entries(status.shards).sort(([a], [b]) => Number(a) - Number(b));
  const totals = sumCounters(status, context.nowMillis);
  const seconds = (context.nowMillis - status.start_time_millis) / 1000;
  return [
    `${status.source_index} -> ${status.target_index}  ${status.shard_routing_mode}  ${formatSeconds(seconds)}`,
    renderPhases(status.phase),
    ...shards.map(([shard, record]) => renderShard(shard, record, context.documentsByShard[shard])),
    `copied ${group(totals.documents)} documents, ${group(totals.documentsPerSecond)} docs/s` +
      `   replayed ${group(totals.operations)} operations   gap ${group(totals.gap)}`,
    `writers: ${group(context.writers.operations)} operations acknowledged, ` +
      `longest pause ${group(context.writers.longestPauseMs)} ms`,
  ];
}

/** The same in one line, for logs and pipes. */
export function renderProgressLine(status: StatusDocument, context: ProgressContext): string {
  const totals = sumCounters(status, context.nowMillis);
  const seconds = (context.nowMillis - status.start_time_millis) / 1000;
  return (
    `${formatSeconds(seconds)} ${describePhases(status)} copied=${totals.documents}` +
    ` docs/s=${totals.documentsPerSecond} replayed=${totals.operations} gap=${totals.gap}`
  );
}

/** The migration's phase and how many shards are in which: a new text means progress. */
export function describePhases(status: StatusDocument): string {
  const counts = new Map<string, number>();
  for (const { phase } of Object.values(status.shards)) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  const shards = [...counts].map(([phase, count]) => `${count} ${phase}`).join(', ');
  return `${status.phase} [${shards}]`;
}

export interface ProgressTotals {
  readonly documents: number;
  /** from the first shard's start of copying to the last one's end, or to now */
  readonly documentsPerSecond: number;
  readonly operations: number;
  readonly deletes: number;
  /** operations that the target still lacks */
  readonly gap: number;
}

/** Adds up the counters of all shards. */
export function sumCounters(status: StatusDocument, nowMillis: number): ProgressTotals {
  const shards = Object.values(status.shards);
  const copies = shards.flatMap(({ backfill }) => (backfill === undefined ? [] : [backfill]));
  const replays = shards.flatMap(replayCounters);
  const documents = sum(copies, ({ documents_indexed: count }) => count);
  const started = copies.flatMap(({ start_time_millis: start = 0 }) => (start > 0 ? [start] : []));
  const ended = copies.map(({ end_time_millis: end }) => end ?? nowMillis);
  const elapsedMs = started.length === 0 ? 0 : Math.max(...ended) - Math.min(...started);
  return {
    documents,
    documentsPerSecond: elapsedMs <= 0 ? 0 : Math.round((documents * 1000) / elapsedMs),
    operations: sum(replays, ({ operations_applied: count }) => count),
    deletes: sum(replays, ({ deletes_applied: count }) => count),
    gap: sum(shards, (shard) => gapOf(shard)),
  };
}

/** First replay, convergence rounds, last round: each operation is counted in exactly one of them. */
function replayCounters(shard: ShardStatus): StatusCounters[] {
  return [shard.replay, shard.convergence, shard.catching_up].filter((counters) => counters !== undefined);
}

function gapOf(shard: ShardStatus): number {
  return replayCounters(shard).at(-1)?.current_gap ?? 0;
}

function sum<T>(list: readonly T[], numberOf: (element: T) => number | undefined): number {
  return list.reduce((total, element) => total + (numberOf(element) ?? 0), 0);
}

function renderPhases(phase: string): string {
  const at = phases.findIndex((known) => known === phase);
  if (at < 0) return phase;
  return phases.map((known, n) => (n < at ? known.toLowerCase() : n === at ? `[${known}]` : '.')).join(' ');
}

function renderShard(shard: string, record: ShardStatus, expected: number | undefined): string {
  const done = record.backfill?.documents_indexed ?? 0;
  const share = !copying.includes(record.phase)
    ? 1
    : expected === undefined || expected === 0
      ? 0
      : Math.min(1, done / expected);
  const filled = Math.round(share * barWidth);
  const bar = `${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}`;
  const percent = String(Math.floor(share * 100)).padStart(3);
  const error = record.error === undefined ? '' : `  ${record.error}`;
  return (
    `shard ${shard.padStart(2)} [${bar}] ${percent}%  ${group(done).padStart(9)} docs  ` +
    `${record.phase.padEnd(15)} gap ${group(gapOf(record))}${error}`
  );
}

function formatSeconds(seconds: number): string {
  return `${Math.max(0, seconds).toFixed(1)} s`;
}

/** 1234567 -> "1,234,567" */
export function group(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
