import type { CutoverAttempt, MigrationRecord } from '@aosc/contract';
import { isAbortedPhase, isAbortingPhase } from '../phases';
import { describeEnd } from './end-message';

/** Of a cutover that is put off again and again the last ones are shown, and the record keeps why. */
const mostAttempts = 20;

/** @returns the record with the reason why the attempt that runs goes back to the replay at this moment */
export function putOff<R extends MigrationRecord>(record: R, reason: string, nowMillis: number): R {
  const putOffs = [...(record.putOffs ?? []), { atMillis: nowMillis, reason }].slice(-mostAttempts);
  return { ...record, putOffs };
}

type History = MigrationRecord['transitionHistory'];
type Steps = CutoverAttempt['steps'];

/** Every time that the migration came to CUTTING_OVER, with what became of it, as far as the record tells. */
export function describeAttempts(record: MigrationRecord): readonly CutoverAttempt[] {
  const { transitionHistory: history } = record;
  const begins = history.flatMap(({ phase }, at) => (phase === 'CUTTING_OVER' ? [at] : []));
  return begins
    .map((begin, nth) => describeAttempt(record, history.slice(begin, begins[nth + 1] ?? history.length)))
    .slice(-mostAttempts);
}

/** @param history from CUTTING_OVER on, up to the next attempt */
function describeAttempt(record: MigrationRecord, history: History): CutoverAttempt {
  const [first, next] = history;
  const startedMillis = first?.startTimeMillis ?? 0;
  if (next?.phase === 'PREPARING_TARGET') {
    const reason = record.putOffs?.find(({ atMillis }) => atMillis === next.startTimeMillis)?.reason;
    const beforeBlockMs = next.startTimeMillis - startedMillis;
    return {
      startedMillis,
      outcome: 'put_off',
      ...(reason !== undefined && { reason }),
      steps: { beforeBlockMs },
    };
  }
  const { writeBlock, committed, cutoverContext } = record;
  const givenUp = history.find(({ phase }) => isAbortingPhase(phase) || isAbortedPhase(phase));
  const end = committed ? cutoverContext?.cutoverEndMillis : givenUp?.startTimeMillis;
  const block = writeBlock?.requestedAtMillis;
  const reason = committed ? undefined : describeEnd(record);
  return {
    startedMillis,
    outcome: committed ? 'swapped' : givenUp === undefined ? 'running' : 'given_up',
    ...(reason !== undefined && { reason }),
    // A block of the operator's own was there before.
    ...(block !== undefined &&
      end !== undefined &&
      !writeBlock?.usersOwn && { blockedMs: between(block, end) }),
    steps: stepsOf(history, { begin: startedMillis, block, end }),
  };
}

/** Each step lasts until the next one that has begun, or until the end. */
function stepsOf(
  history: History,
  {
    begin,
    block,
    end,
  }: { readonly begin: number; readonly block: number | undefined; readonly end: number | undefined },
): Steps {
  const startOf = (phase: 'CATCHING_UP' | 'COMPLETING') =>
    history.find((entry) => entry.phase === phase)?.startTimeMillis;
  const begun = [
    { name: 'beforeBlockMs', at: begin },
    { name: 'confirmMs', at: block },
    { name: 'lastRoundsMs', at: startOf('CATCHING_UP') },
    { name: 'checksMs', at: startOf('COMPLETING') },
  ].flatMap(({ name, at }) => (at === undefined ? [] : [{ name, at }]));
  return Object.fromEntries(
    begun.flatMap(({ name, at }, nth) => {
      const until = begun[nth + 1]?.at ?? end;
      return until === undefined ? [] : [[name, between(at, until)]];
    }),
  );
}

/** Clocks of schedulers differ, and may be set back. */
const between = (from: number, to: number): number => Math.max(0, to - from);
