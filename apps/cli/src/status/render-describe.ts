import { isTerminal, type MigrationStatus, type ShardDetail, type Timeline } from '@aosc/client';
import { formatBytes, formatSeconds, group, plain, table, timeOf, toJson } from '../output/text';
import type { Frame } from './frame';
import { type ClusterNow, renderReport } from './render-report';
import { elapsed, renderStatus } from './render-status';
import { gapOf, shardsOf, shareOf } from './totals';

export interface Description {
  readonly status: MigrationStatus;
  readonly timeline: Timeline;
  /** undefined: the migration has not ended */
  readonly now: ClusterNow | undefined;
}

/** Everything that the API reports of a migration, part by part. */
export function renderDescription({ status, timeline, now }: Description, frame: Frame): readonly string[] {
  return [
    ...renderStatus(status, { ...frame, height: 0 }).slice(0, -1),
    ...part('Facts', describeFacts(status, frame)),
    ...part('Options', describeOptions(status)),
    ...part('Phases', describePhases(status, frame)),
    ...part('Cutover', describeAttempts(status)),
    ...part('Over time', describeTimeline(timeline)),
    ...part('Shards', describeShards(status)),
    ...(now === undefined ? [] : part('Report', renderReport(status, now))),
  ];
}

const part = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];

function describeFacts(status: MigrationStatus, { nowMillis }: Frame): readonly string[] {
  const { transform_script: script, start_time_millis: start } = status;
  return table([
    ['id', plain(status.migration_id)],
    ['started', `${timeOf(start)}, ${formatSeconds((nowMillis - start) / 1000)} ago`],
    ['took', elapsed(status, nowMillis)],
    ['routing', status.shard_routing_mode],
    [
      'transform',
      script === undefined
        ? 'none'
        : plain(script.type === 'stored' ? `stored script ${script.id ?? ''}` : (script.source ?? '')),
    ],
  ]);
}

function describeOptions({ options }: MigrationStatus): readonly string[] {
  return table(
    Object.entries(options).map(([name, value]) => [
      name,
      plain(typeof value === 'string' ? value : toJson(value)),
    ]),
  );
}

function describePhases(
  { transition_history: history }: MigrationStatus,
  { nowMillis }: Frame,
): readonly string[] {
  return table(
    history.map(({ phase, start_time_millis: start, end_time_millis: end }, n) => [
      timeOf(start),
      phase,
      n === history.length - 1 && isTerminal(phase) ? '' : `for ${formatMillis((end ?? nowMillis) - start)}`,
    ]),
  );
}

/** Each attempt, with the time of its steps, and why it did not lead to the swap. */
function describeAttempts({ cutover }: MigrationStatus): readonly string[] {
  return (cutover?.attempts ?? []).flatMap(
    ({ started_millis: start, outcome, steps, write_hold_ms, blocked_ms, reason }) => {
      const parts: readonly (readonly [string, number | undefined])[] = [
        ['before writers were stopped', steps.before_block_ms],
        ['until no write ran', steps.confirm_ms],
        ['last rounds', steps.last_rounds_ms],
        ['checks and swap', steps.checks_ms],
        ['writes waited', write_hold_ms],
        ['writes refused', blocked_ms],
      ];
      const times = parts.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${formatMillis(ms)}`]));
      return [
        `${timeOf(start)}  ${outcome.replace('_', ' ')}: ${times.join(', ')}`,
        ...(reason === undefined ? [] : [`  ${plain(reason)}`]),
      ];
    },
  );
}

/** Averages and peaks only: a picture needs more room than a terminal has. */
function describeTimeline({ points }: Timeline): readonly string[] {
  const { at_millis: moments, documents_per_second: rates, bytes_per_second: bytes, gap, pauses } = points;
  if (moments.length === 0) return ['no figures were kept'];
  const working = rates.filter((rate) => rate > 0);
  const rows = [
    ['documents/s', ...figures(working, group)],
    [
      'bytes/s',
      ...figures(
        bytes.filter((rate) => rate > 0),
        formatBytes,
      ),
    ],
    [
      'gap',
      ...figures(
        gap.filter((one) => one !== null),
        group,
      ),
    ],
  ];
  const latency = (points.bulk_latency_ms ?? []).filter((one) => one !== null);
  if (latency.length > 0) rows.push(['bulk', ...figures(latency, (ms) => `${Math.round(ms)} ms`)]);
  return [
    ...table([['', 'AVERAGE', 'PEAK'], ...rows]),
    `measured ${moments.length} times; pauses that the cluster asked for, at most: ${group(Math.max(...pauses))}`,
  ];
}

function figures(values: readonly number[], write: (value: number) => string): readonly string[] {
  if (values.length === 0) return ['-', '-'];
  const total = values.reduce((sum, value) => sum + value, 0);
  return [write(total / values.length), write(Math.max(...values))];
}

function describeShards(status: MigrationStatus): readonly string[] {
  const rows = shardsOf(status).map(([shard, one]) => {
    const share = shareOf(one);
    const { replay, convergence, catching_up: last } = one;
    const rounds = [replay, convergence, last];
    const sum = (read: (counter: (typeof rounds)[number]) => number | undefined) =>
      group(rounds.reduce((total, counter) => total + (read(counter) ?? 0), 0));
    return [
      String(shard),
      one.phase,
      share === undefined ? '-' : `${Math.floor(share * 100)}%`,
      group(one.backfill?.documents_indexed ?? 0),
      sum((counter) => counter?.operations_applied),
      sum((counter) => counter?.rounds),
      group(gapOf(one)),
      plain(one.error ?? ''),
    ];
  });
  return table([['SHARD', 'PHASE', 'COPIED', 'DOCS', 'REPLAYED', 'ROUNDS', 'GAP', 'ERROR'], ...rows]);
}

/** Who works on one shard, where, and what holds it back. */
export function renderShard(detail: ShardDetail, nowMillis: number): readonly string[] {
  const { owner, primary, snapshots, flow } = detail;
  const ago = (millis: number): string => `${formatSeconds((nowMillis - millis) / 1000)} ago`;
  return table([
    ['shard', `${detail.shard} of ${plain(detail.source_index)}`],
    ['phase', detail.phase],
    [
      'worker',
      owner === undefined
        ? 'none'
        : `${plain(owner.process ?? owner.id)}, last sign of life ${ago(owner.heartbeat_at_millis)}`,
    ],
    ['workers lost', String(detail.owners_lost)],
    [
      'primary',
      primary === undefined
        ? 'not known'
        : `${primary.state}${primary.node_id === undefined ? '' : ` on ${plain(primary.node_id)}`}`,
    ],
    [
      'snapshots',
      snapshots.map(({ work, opened_at_millis: opened }) => `${work}, opened ${ago(opened)}`).join('; ') ||
        'none',
    ],
    ['snapshots lost', String(detail.snapshots_lost)],
    ...(flow === undefined
      ? []
      : [
          [
            'bulks',
            `${formatBytes(flow.target_bytes)}, ${group(flow.concurrency)} at once (${plain(flow.controller)})`,
          ],
          ['limited by', plain(flow.limited_by ?? 'nothing')],
          ['pauses', group(flow.pauses)],
        ]),
    ...detail.transition_history.map(({ phase, start_time_millis: start }) => [timeOf(start), phase]),
  ]);
}

/** Phases of the cutover take less than a second. */
function formatMillis(millis: number): string {
  return millis < 10_000 ? `${(millis / 1000).toFixed(2)}s` : formatSeconds(millis / 1000);
}
