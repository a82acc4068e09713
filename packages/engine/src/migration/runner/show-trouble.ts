import type { Wait } from '@aosc/contract';
import { findRefusal, findWaiting, mayMove, replaceWait } from '@aosc/domain';
import type { ClusterError } from '../../ports/cluster-error';
import { unlessConflict } from '../../ports/compare-and-set';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';

/** Most errors that may pass are over within this time, so the record does not show them earlier. */
const unnoticedMs = 5_000;
/** On the way to the swap the record gets a new text at most this often: the cluster's words may differ each time. */
const textEveryMs = 10_000;

/**
 * Writes into the record why a step fails, so that an operator who can help sees the reason. In every phase the
 * scheduler repeats a step after an error that may pass. During an abort and after the swap it repeats the step after
 * every error: otherwise a block or an alias would stay.
 * @param passes whether errors of this kind may pass: the record shows such an error only after `unnoticedMs`
 */
export async function showTrouble(
  context: StepContext,
  { stored, record }: MigrationView,
  error: ClusterError,
  passes: boolean,
): Promise<void> {
  const { store, log, signal, clock, troubles } = context;
  if (passes && (troubles?.look(record.key).unchangedMs ?? 0) < unnoticedMs) return;
  const text = `${record.phase} waits: ${error.message}. ${whatToDo(error)}; it is tried again until then`;
  const before = findWaiting(record, 'steps');
  if (text === (before?.text ?? findRefusal(record))) return;
  if (before !== undefined && clock.now() - record.lastUpdatedMillis < textEveryMs) return;
  log.error('step_refused', text, undefined);
  const isOnTheWayToTheSwap = mayMove(record, 'FAILING') && !record.committed;
  const wait: Wait = isOnTheWayToTheSwap
    ? { reason: 'cluster', sinceMillis: before?.sinceMillis ?? clock.now(), text }
    : { reason: 'refused', text };
  const shown = {
    ...record,
    lastUpdatedMillis: clock.now(),
    waits: replaceWait(record.waits, 'steps', wait),
  };
  // After a conflict this writes nothing: the next failed try writes the text.
  await unlessConflict(() => store.replaceMigration(stored, shown, { signal }));
}

/** By words that OpenSearch's `ScriptCache` and `PitService` put into their errors. */
const waysOut: readonly (readonly [words: RegExp, advice: string])[] = [
  [
    /too many dynamic script compilations/i,
    'Raise the cluster setting that it names, or wait until fewer scripts are compiled',
  ],
  [
    /too many point in time contexts/i,
    'Raise the cluster setting search.max_open_pit_context, or wait until other searches have ended',
  ],
];

function whatToDo({ kind, message }: ClusterError): string {
  const way = waysOut.find(([words]) => words.test(message))?.[1];
  if (way !== undefined) return way;
  if (kind === 'forbidden') return "Give the service's user this privilege";
  if (kind === 'blocked') return 'Take the block away';
  if (kind === 'overload') return 'Take load off the cluster';
  if (kind === 'transient' || kind === 'aborted')
    return 'Look whether nodes and indices of the cluster are healthy';
  return 'Remove what makes the cluster refuse it';
}

/** Takes the error of `showTrouble` out of the record, because a step has succeeded. */
export function withoutTrouble(before: MigrationView['record'], result: StepResult): StepResult {
  if (findRefusal(before) === undefined && findWaiting(before, 'steps') === undefined) return result;
  const { record: after, shards } = result.type === 'changed' ? result : changed(before);
  return changed({ ...after, waits: replaceWait(after.waits, 'steps', undefined) }, shards);
}
