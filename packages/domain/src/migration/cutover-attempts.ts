import type { CutoverAttempt, MigrationRecord, WriteBlock, WriteHold } from '@aosc/contract';
import { isAbortedPhase, isAbortingPhase } from '../phases';
import { describeEnd } from './end-message';
import { type MigrationIn, moveMigration } from './transitions';

/** Of a cutover that is put off again and again the last ones are shown, and the record keeps why. */
const mostAttempts = 20;

/**
 * @param lasted how long writes were held or refused; empty: they were not
 * @returns the record with the reason why the attempt that runs goes back to the replay at this moment
 */
export function putOff<R extends MigrationRecord>(
  record: R,
  reason: string,
  nowMillis: number,
  lasted: Pauses = {},
): R {
  const one = { atMillis: nowMillis, reason, ...lasted };
  const { cutoverOrder: order, putOffs = [] } = record;
  // The clock of the API may be ahead of this one. An order that was there before an attempt counts as older.
  const isAhead = order !== undefined && Object.keys(lasted).length > 0 && order.atMillis > nowMillis;
  return {
    ...record,
    putOffs: lastOf([...putOffs, one]),
    ...(isAhead && { cutoverOrder: { ...order, atMillis: nowMillis } }),
  };
}

type PutOffs = NonNullable<MigrationRecord['putOffs']>;

/** The last look or attempt after which the cutover rests. A look that goes back for a gap, say, uses up no order. */
export const lastWithRest = (putOffs: PutOffs = []) =>
  putOffs.findLast((one) => (one.heldMs ?? one.blockedMs ?? one.predictedMs) !== undefined);

/** The last attempt that was undone after its block had been announced. */
export const lastUnderBlock = (putOffs: PutOffs = []) =>
  putOffs.findLast(({ blockedMs }) => blockedMs !== undefined);

/**
 * The last ones, within the bound. Of those before, what other rules need stays: the last one with a rest has used up an
 * order, and the last one under a block tells whether a request for that block may still land.
 */
function lastOf(putOffs: PutOffs): PutOffs {
  const needed = [lastWithRest(putOffs), lastUnderBlock(putOffs)];
  let surplus = putOffs.length - mostAttempts;
  return putOffs.filter((one) => needed.includes(one) || surplus-- <= 0);
}

/** In milliseconds. */
interface Pauses {
  readonly heldMs?: number;
  readonly blockedMs?: number;
  readonly predictedMs?: number;
}

/** How long writes waited and were refused in the attempt that ends at this moment. */
function pausesOf(record: MigrationRecord, endMillis: number): Pauses {
  const held = holdsWriters(record) ? record.writeHold.requestedAtMillis : undefined;
  const block = isBlockAnnounced(record) ? record.writeBlock : undefined;
  // A block of the user's own lasts on: 0 only says that an attempt had begun.
  const from = block?.usersOwn === true ? endMillis : block?.requestedAtMillis;
  return {
    ...(held !== undefined && { heldMs: between(held, from ?? endMillis) }),
    ...(from !== undefined && { blockedMs: between(from, endMillis) }),
  };
}

/** From an attempt that was undone to the next one: 5 s, 15 s, then 1, 5, 15 and 30 minutes. */
const restsMs = [5000, 15_000, 60_000, 300_000, 900_000, 1_800_000];
const restMs = (count: number): number => restsMs[Math.min(count, restsMs.length) - 1] ?? 0;

/** No attempt begins, because its pause is predicted to be too long: the rests are those between undone attempts. */
export function restForPause<R extends MigrationRecord>(
  record: R,
  {
    predictedMs,
    reason,
    nowMillis,
  }: { readonly predictedMs: number; readonly reason: string; readonly nowMillis: number },
): R {
  const rested = putOff(record, reason, nowMillis, { predictedMs });
  const { putOffs = [] } = rested;
  const inARow = putOffs.length - 1 - putOffs.findLastIndex((one) => one.predictedMs === undefined);
  return { ...rested, nextAttemptMillis: nowMillis + restMs(inARow) };
}

/**
 * @param record of an attempt whose hold and block have ended
 * @returns the record after the undo; hold and block stay in it, because a request for them may land late
 */
export function undoAttempt(
  record: MigrationIn<'CUTTING_OVER' | 'CATCHING_UP' | 'COMPLETING'>,
  nowMillis: number,
): MigrationIn<'PREPARING_TARGET'> {
  const { undoing = '', writeBlock, writeHold, ...before } = record;
  const { finalSeqNos: _finals, cutoverContext: _context, blockNearSinceMillis: _near, ...rest } = before;
  const count = (rest.undoneCount ?? 0) + 1;
  const undone = {
    ...rest,
    ...(writeBlock && { writeBlock: { ...writeBlock, confirmed: false, lifted: true } }),
    ...(writeHold && { writeHold: { ...writeHold, givenBack: true } }),
    undoneCount: count,
    nextAttemptMillis: nowMillis + restMs(count),
  };
  return moveMigration(
    putOff(undone, undoing, nowMillis, pausesOf(record, nowMillis)),
    'PREPARING_TARGET',
    nowMillis,
  );
}

export interface WithBlock {
  readonly writeBlock: WriteBlock;
}

export interface WithHold {
  readonly writeHold: WriteHold;
}

/** Whether the running attempt has announced its write block: a lifted block belongs to an attempt before. */
export function isBlockAnnounced<R extends Pick<MigrationRecord, 'writeBlock'>>(
  record: R,
): record is R & WithBlock {
  return record.writeBlock !== undefined && !record.writeBlock.lifted;
}

/** Whether settings of a write hold may be on the source. */
export function holdsWriters<R extends Pick<MigrationRecord, 'writeHold'>>(
  record: R,
): record is R & WithHold {
  return record.writeHold !== undefined && !record.writeHold.givenBack;
}

export function withHoldGivenBack<R extends MigrationRecord>(record: R): R {
  const { writeHold } = record;
  return writeHold === undefined ? record : { ...record, writeHold: { ...writeHold, givenBack: true } };
}

/** Whether the hold alone keeps writes from the source, which proves nothing: a write may say that it does not wait. */
export function isHeld<R extends Pick<MigrationRecord, 'writeHold' | 'writeBlock' | 'committed'>>(
  record: R,
): record is R & WithHold {
  return holdsWriters(record) && !isBlockAnnounced(record) && !record.committed;
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
    const { reason, blockedMs, heldMs } =
      record.putOffs?.find(({ atMillis }) => atMillis === back.startTimeMillis) ?? {};
    const said = { startedMillis, ...(reason !== undefined && { reason }) };
    const end = back.startTimeMillis;
    if ((blockedMs ?? 0) === 0 && heldMs === undefined) {
      return { ...said, outcome: 'put_off', steps: { beforeBlockMs: end - startedMillis } };
    }
    const steps = stepsOf(history, {
      begin: startedMillis,
      block: end - (blockedMs ?? 0) - (heldMs ?? 0),
      end,
    });
    return { ...said, outcome: 'undone', ...shownPauses({ heldMs, blockedMs }), steps };
  }
  const { writeBlock, writeHold, committed, cutoverContext } = record;
  const givenUp = history.find(({ phase }) => isAbortingPhase(phase) || isAbortedPhase(phase));
  const end = committed ? cutoverContext?.cutoverEndMillis : givenUp?.startTimeMillis;
  // Until it has its own, the record has those of an attempt before.
  const hasEnded = committed || givenUp !== undefined;
  const isOwn = (at: number) => hasEnded && at >= startedMillis;
  const block =
    writeBlock && (!writeBlock.lifted || isOwn(writeBlock.requestedAtMillis))
      ? writeBlock.requestedAtMillis
      : undefined;
  const held =
    writeHold && (!writeHold.givenBack || isOwn(writeHold.requestedAtMillis))
      ? writeHold.requestedAtMillis
      : undefined;
  const reason = committed ? undefined : describeEnd(record);
  const heldUntil = block ?? end;
  return {
    startedMillis,
    outcome: committed ? 'swapped' : givenUp === undefined ? 'running' : 'given_up',
    ...(reason !== undefined && { reason }),
    ...shownPauses({
      heldMs: held === undefined || heldUntil === undefined ? undefined : between(held, heldUntil),
      // A block of the operator's own was there before.
      blockedMs:
        block === undefined || end === undefined || writeBlock?.usersOwn ? undefined : between(block, end),
    }),
    steps: stepsOf(history, { begin: startedMillis, block: held ?? block, end }),
  };
}

function shownPauses({
  heldMs,
  blockedMs,
}: {
  readonly heldMs: number | undefined;
  readonly blockedMs: number | undefined;
}): Pick<CutoverAttempt, 'writeHoldMs' | 'blockedMs'> {
  return {
    ...(heldMs !== undefined && { writeHoldMs: heldMs }),
    ...(blockedMs !== undefined && { blockedMs }),
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
