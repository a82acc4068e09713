import {
  describeAlias,
  describeIndex,
  describePhase,
  describeRehearsal,
  type MigrationIndices,
  type MigrationStatus,
} from '@aosc/client';
import { formatSeconds, group, plain, table, timeOf } from '../output/text';
import { stepsAfterEnd } from './after-end';
import { durationMillis } from './render-status';
import { sumUp } from './totals';

/** What the cluster says of an ended migration's indices, or as a text why it could not answer. */
export type ClusterNow = MigrationIndices | string;

/** What an ended migration has done, and what is left to do. */
export function renderReport(status: MigrationStatus, now: ClusterNow): readonly string[] {
  const { phase, source_index: source, target_index: target, error_message: error } = status;
  const seconds = durationMillis(status, status.last_updated_millis) / 1000;
  return [
    `${describePhase(status)}: ${plain(source)} -> ${plain(target)}, in ${formatSeconds(seconds)}`,
    `${plain(status.alias)} was ${phase === 'COMPLETED' ? `moved from ${plain(source)} to ${plain(target)}` : 'not moved'}`,
    ...describeWork(status),
    ...describeCutover(status),
    ...table(describeRehearsal(status)),
    ...(error === undefined ? [] : [`${phase === 'COMPLETED' ? 'note' : 'reason'}: ${plain(error)}`]),
    '',
    ...(typeof now === 'string'
      ? [`The cluster could not be asked what it has now: ${plain(now)}`]
      : [...describeNow(status, now), ...renderSteps(status, now)]),
  ];
}

function describeNow(
  { migration_id: id, alias, source_index: source, target_index: target }: MigrationStatus,
  now: MigrationIndices,
): readonly string[] {
  const facts: readonly (readonly [string, string])[] = [
    [alias, describeAlias(now)],
    [source, describeIndex(now.source, id)],
    [target, describeIndex(now.target, id)],
  ];
  return [
    `In the cluster at ${timeOf(now.at_millis)}:`,
    ...table(facts.map((row) => row.map(plain))).map((line) => `  ${line}`),
  ];
}

function renderSteps(status: MigrationStatus, now: MigrationIndices): readonly string[] {
  const lines = stepsAfterEnd(status, now).flatMap(({ text, commands }) => [
    plain(text),
    ...commands.map((command) => `  ${plain(command)}`),
  ]);
  return lines.length === 0 ? [] : ['', 'What is left to do:', ...lines];
}

function describeWork(status: MigrationStatus): readonly string[] {
  const { copied, documents, share, replayed, deletes, retries } = sumUp(status);
  const of =
    share === 1 || documents === undefined
      ? ''
      : ` of ${group(documents)} (${Math.floor((share ?? 0) * 100)}%)`;
  return [
    `copied ${group(copied)}${of} documents${averageOf(status, copied)}`,
    `replayed ${group(replayed)} operations, ${group(deletes)} of them deletes${retries === 0 ? '' : `; ${group(retries)} bulks were sent again`}`,
  ];
}

/** Over the time in which shards were copied, waits for permits included. */
function averageOf({ shards }: MigrationStatus, copied: number): string {
  const copies = Object.values(shards).flatMap(({ backfill }) => backfill ?? []);
  const begin = Math.min(...copies.map(({ start_time_millis: start }) => start));
  const end = Math.max(...copies.map(({ end_time_millis: ended }) => ended ?? Number.NaN));
  const seconds = (end - begin) / 1000;
  return seconds > 0 ? `, ${group(copied / seconds)} docs/s on average` : '';
}

/** How long writes waited and were refused: up to the swap of the alias. */
function describeCutover({ cutover_context: counted, cutover }: MigrationStatus): readonly string[] {
  if (counted === undefined) return [];
  const { source_doc_count: source, target_doc_count: target, doc_count_tolerance: tolerance } = counted;
  const counts =
    source === undefined || target === undefined
      ? []
      : [
          `counted ${group(source)} documents in the source and ${group(target)} in the target${tolerance === 0 ? '' : `, ${group(tolerance)} more or less are accepted`}`,
        ];
  const { write_hold_ms: heldMs, blocked_ms: blockedMs } = cutover?.attempts?.at(-1) ?? {};
  const held = heldMs === undefined ? '' : `waited for ${(heldMs / 1000).toFixed(2)} s, then `;
  const pause =
    blockedMs === undefined || !counted.alias_swap_succeeded
      ? []
      : [`writes ${held}were refused for at most ${(blockedMs / 1000).toFixed(2)} s`];
  return [...counts, ...pause];
}
