import { describePhase, isTerminal, type MigrationPhase, type MigrationStatus } from '@aosc/client';
import type { Tone } from '../output/paint';
import { bar, fit, formatBytes, formatSeconds, group, plain } from '../output/text';
import { describeCutover } from './describe-cutover';
import type { Frame } from './frame';
import { renderShards } from './render-shards';
import { toneOfPhase } from './tone';
import { sumUp, type Totals } from './totals';

const barWidth = 30;

const way: readonly MigrationPhase[] = [
  'ACTIVE',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
];

/** A status as lines, none of them longer than the frame is wide. */
export function renderStatus(status: MigrationStatus, frame: Frame): readonly string[] {
  const totals = sumUp(status);
  const head = renderHead(status, totals, frame);
  const room = Math.max(1, frame.height - head.length);
  return [...head, ...renderShards(status, { ...frame, height: room })];
}

interface Line {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

function renderHead(
  status: MigrationStatus,
  totals: Totals,
  { width, paint, nowMillis }: Frame,
): readonly string[] {
  const lines: readonly Line[] = [
    {
      text: `${plain(status.source_index)} -> ${plain(status.target_index)}  alias ${plain(status.alias)}`,
      tone: 'strong',
    },
    {
      text: `${plain(status.migration_id)}  ${status.shard_routing_mode}  ${elapsed(status, nowMillis)}`,
      tone: 'dim',
    },
    { text: renderWay(status), tone: toneOfPhase(status.phase) },
    { text: renderCopy(totals) },
    { text: renderReplay(totals) },
    ...describeTrouble(status, nowMillis),
  ];
  return lines.map(({ text, tone }) => {
    const fitting = fit(text, width);
    return tone === undefined ? fitting : paint(tone, fitting);
  });
}

/** Done phases are in small letters, the present one in brackets. */
export function renderWay(status: Pick<MigrationStatus, 'phase' | 'rehearsal'>): string {
  const at = way.indexOf(status.phase);
  if (at < 0) return `[${describePhase(status)}]`;
  return way.map((name, n) => (n < at ? name.toLowerCase() : n === at ? `[${name}]` : '.')).join(' ');
}

function renderCopy(totals: Totals): string {
  const { share, copied, documents } = totals;
  const percent = share === undefined ? '  ?%' : `${String(Math.floor(share * 100)).padStart(3)}%`;
  const of = documents === undefined || share === 1 ? '' : ` of ${group(documents)}`;
  return `copy [${bar(share ?? 0, barWidth)}] ${percent}  ${group(copied)}${of} documents${renderRates(totals)}`;
}

function renderRates({ documentsPerSecond, bytesPerSecond, remainingSeconds }: Totals): string {
  if (documentsPerSecond === 0) return '';
  const left = remainingSeconds === undefined ? '' : `  ${formatSeconds(remainingSeconds)} left`;
  return `  ${group(documentsPerSecond)} docs/s  ${formatBytes(bytesPerSecond)}/s${left}`;
}

function renderReplay({ gap, replayed, deletes, retries, pauses }: Totals): string {
  const parts = [
    `gap ${group(gap)} operations`,
    `replayed ${group(replayed)}, ${group(deletes)} of them deletes`,
    ...(retries > 0 ? [`retries ${group(retries)}`] : []),
    ...(pauses > 0 ? [`pauses ${group(pauses)}`] : []),
  ];
  return parts.join('  ');
}

/** What the migration waits for, and what went wrong. */
function describeTrouble(status: MigrationStatus, nowMillis: number): readonly Line[] {
  const { waiting_for: waiting, error_message: error, mapping_drift: drift = [], cutover } = status;
  return [
    ...(cutover?.waits_for === undefined
      ? []
      : [{ text: `cutover ${describeCutover(cutover)}`, tone: 'warn' as const }]),
    ...(waiting === undefined
      ? []
      : [
          {
            text: `waits for ${waiting.reason}, for ${formatSeconds((nowMillis - waiting.since_millis) / 1000)}: ${plain(waiting.text ?? '')}`,
            tone: 'warn' as const,
          },
        ]),
    ...drift.map(({ field, source, target = 'nothing' }) => ({
      text: plain(`mapping drift: ${field} is ${source} in the source and ${target} in the target`),
      tone: 'warn' as const,
    })),
    ...(error === undefined
      ? []
      : [
          status.rehearsal?.outcome === 'exact'
            ? { text: plain(error), tone: 'good' as const }
            : { text: `error: ${plain(error)}`, tone: 'bad' as const },
        ]),
  ];
}

/** From the start to the end, or to now. */
export function elapsed(status: MigrationStatus, nowMillis: number): string {
  return formatSeconds(durationMillis(status, nowMillis) / 1000);
}

export function durationMillis(status: MigrationStatus, nowMillis: number): number {
  const last = status.transition_history.at(-1);
  const end = last !== undefined && isTerminal(last.phase) ? last.start_time_millis : nowMillis;
  return end - status.start_time_millis;
}
