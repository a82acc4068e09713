import type { MigrationRecord } from '@aosc/contract';
import { lastWithRest } from './cutover-attempts';
import { isOpen, nextOpening } from './cutover-windows';

/** Whether the cutover may begin now, by what the operator has said. */
export type CutoverGate =
  | { readonly type: 'open' }
  | {
      readonly type: 'postponed' | 'waiting_for_window' | 'backing_off';
      /** in words */
      readonly waitsFor: string;
      /** when the clock opens it, epoch milliseconds; undefined: the clock alone does not */
      readonly opensAtMillis?: number | undefined;
    };

const open: CutoverGate = { type: 'open' };

/** The clocks of two schedulers are taken to differ by no more than this. */
const clockMarginMs = 60_000;

type Gated = Pick<MigrationRecord, 'options' | 'cutoverOrder' | 'nextAttemptMillis' | 'putOffs'>;

/**
 * A rehearsal ends where the cutover would begin, and waits for none. Otherwise the operator's last word counts. An approval
 * stands for `cutover: automatic`, so windows and the earliest date hold for it as well; a forced cutover begins at once.
 */
export function decideGate(record: Gated, nowMillis: number): CutoverGate {
  const { options, cutoverOrder: order, nextAttemptMillis = 0 } = record;
  if (options.rehearse === true) return open;
  const isForced = order?.type === 'forced';
  const last = lastWithRest(record.putOffs);
  // A clock that shows a time long before the last attempt was set back: the rest would last until it catches up.
  const wasSetBack = last !== undefined && nowMillis < last.atMillis - clockMarginMs;
  if (nowMillis < nextAttemptMillis && !wasSetBack && !isForcedNow(record)) {
    const waitsFor =
      last?.predictedMs === undefined ? 'the time between an undone attempt and the next' : last.reason;
    return { type: 'backing_off', waitsFor, opensAtMillis: nextAttemptMillis };
  }
  if (isForced) return open;
  const isManual = order === undefined ? options.cutover === 'manual' : order.type === 'postponed';
  if (isManual) return { type: 'postponed', waitsFor: 'an approval (_cutover, or aosc cutover)' };
  const { cutoverNotBefore, cutoverWindows: windows = [] } = options;
  const earliest = cutoverNotBefore === undefined ? nowMillis : Date.parse(cutoverNotBefore);
  if (nowMillis < earliest) {
    const isOpenThen = windows.length === 0 || windows.some((window) => isOpen(window, earliest));
    return waitUntil(
      `${cutoverNotBefore} (cutover_not_before)`,
      isOpenThen ? earliest : nextOpening(windows, earliest),
    );
  }
  if (windows.length === 0 || windows.some((window) => isOpen(window, nowMillis))) return open;
  return waitUntil('the next of cutover_windows', nextOpening(windows, nowMillis));
}

/** An operator has asked for an attempt at once, and none has been undone, or predicted to be too long, since. */
export function isForcedNow(record: Pick<MigrationRecord, 'cutoverOrder' | 'putOffs'>): boolean {
  const { cutoverOrder: order } = record;
  return order?.type === 'forced' && order.atMillis > (lastWithRest(record.putOffs)?.atMillis ?? 0);
}

const waitUntil = (what: string, opensAtMillis: number | undefined): CutoverGate => ({
  type: 'waiting_for_window',
  waitsFor: what,
  opensAtMillis,
});

/** Whether a service that knows nothing of these fields would begin the cutover before its time, or not see that it was undone. */
export function mayBePostponed({
  options,
  cutoverOrder,
  undoneCount,
}: Pick<MigrationRecord, 'options' | 'cutoverOrder' | 'undoneCount'>): boolean {
  const { cutover, cutoverNotBefore, cutoverWindows, maxPauseMs } = options;
  return [cutover, cutoverNotBefore, cutoverWindows, maxPauseMs, cutoverOrder, undoneCount].some(
    (given) => given !== undefined,
  );
}
