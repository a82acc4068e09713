import type { CutoverAttempt, MigrationRecord, WriteBlock } from '@aosc/contract';
import { isAbortedPhase, isAbortingPhase } from '../phases';
import { describeEnd } from './end-message';
import { type MigrationIn, moveMigration } from './transitions';

/** Of a cutover that is put off again and again the last ones are shown, and the record keeps why. */
const mostAttempts = 20;

/**
 * @param blockedMs undefined: nothing was blocked
 * @returns the record with the reason why the attempt that runs goes back to the replay at this moment
 */
export function putOff<R extends MigrationRecord>(
  record: R,
  reason: string,
  nowMillis: number,
  blockedMs?: number,
): R {
  const one = { atMillis: nowMillis, reason, ...(blockedMs !== undefined && { blockedMs }) };
  return { ...record, putOffs: [...(record.putOffs ?? []), one].slice(-mostAttempts) };
}

/** From an attempt that was undone to the next one: 5 s, 15 s, then 1, 5, 15 and 30 minutes. */
const restsMs = [5000, 15_000, 60_000, 300_000, 900_000, 1_800_000];

/**
 * @param block ours, which is lifted
 * @returns the record of an attempt that is undone; the block stays in it, because a request for it may land late
 */
export function undoAttempt(
  { undoing = '', ...record }: MigrationIn<'CUTTING_OVER' | 'CATCHING_UP'>,
  block: WriteBlock,
  nowMillis: number,
): MigrationIn<'PREPARING_TARGET'> {
  const { finalSeqNos: _finals, cutoverContext: _context, blockNearSinceMillis: _near, ...rest } = record;
  const count = (rest.undoneCount ?? 0) + 1;
  const restMs = restsMs[Math.min(count, restsMs.length) - 1] ?? 0;
  const undone = {
    ...rest,
    writeBlock: { ...block, confirmed: false, lifted: true },
    undoneCount: count,
    nextAttemptMillis: nowMillis + restMs,
  };
  const blockedMs = between(block.requestedAtMillis, nowMillis);
  return moveMigration(putOff(undone, undoing, nowMillis, blockedMs), 'PREPARING_TARGET', nowMillis);
}

/** Whether the running attempt has announced its write block: a lifted block belongs to an attempt before. */
export function isBlockAnnounced(
  record: MigrationRecord,
): record is MigrationRecord & { readonly writeBlock: WriteBlock } {
  return record.writeBlock !== undefined && !record.writeBlock.lifted;
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
  const startedMillis = history[0]?.startTimeMillis ?? 0;
  const back = history.find(({ phase }) => phase === 'PREPARING_TARGET');
  if (back !== undefined) {
    const { reason, blockedMs } =
      record.putOffs?.find(({ atMillis }) => atMillis === back.startTimeMillis) ?? {};
    const said = { startedMillis, ...(reason !== undefined && { reason }) };
    const end = back.startTimeMillis;
    if (blockedMs === undefined) {
      return { ...said, outcome: 'put_off', steps: { beforeBlockMs: end - startedMillis } };
    }
    const steps = stepsOf(history, { begin: startedMillis, block: end - blockedMs, end });
    return { ...said, outcome: 'undone', blockedMs, steps };
  }
  const { writeBlock, committed, cutoverContext } = record;
  const givenUp = history.find(({ phase }) => isAbortingPhase(phase) || isAbortedPhase(phase));
  const end = committed ? cutoverContext?.cutoverEndMillis : givenUp?.startTimeMillis;
  // Until it has one of its own, the record has the block of an attempt before.
  const block = isBlockAnnounced(record) || givenUp || committed ? writeBlock?.requestedAtMillis : undefined;
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

/** Each step lasts until the next step begins, or until the end. */
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
