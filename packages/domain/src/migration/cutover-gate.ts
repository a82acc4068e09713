import type { MigrationRecord } from '@aosc/contract';
import { isOpen, nextOpening } from './cutover-windows';

/** Whether the cutover may begin now, by what the operator has said. */
export type CutoverGate =
  | { readonly type: 'open' }
  | {
      readonly type: 'postponed' | 'waiting_for_window';
      /** in words */
      readonly waitsFor: string;
      /** when the clock opens it, epoch milliseconds; undefined: the clock alone does not */
      readonly opensAtMillis?: number | undefined;
    };

const open: CutoverGate = { type: 'open' };

/**
 * The operator's last word counts. An approval stands for `cutover: automatic`, so windows and the earliest date hold for it as
 * well; a forced one begins at once.
 */
export function decideGate(
  { options, cutoverOrder: order }: Pick<MigrationRecord, 'options' | 'cutoverOrder'>,
  nowMillis: number,
): CutoverGate {
  if (order?.type === 'forced') return open;
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

const waitUntil = (what: string, opensAtMillis: number | undefined): CutoverGate => ({
  type: 'waiting_for_window',
  waitsFor: what,
  opensAtMillis,
});

/** Whether a service that knows nothing of these fields would begin the cutover before its time. */
export function mayBePostponed({
  options,
  cutoverOrder,
}: Pick<MigrationRecord, 'options' | 'cutoverOrder'>): boolean {
  const { cutover, cutoverNotBefore, cutoverWindows } = options;
  return [cutover, cutoverNotBefore, cutoverWindows, cutoverOrder].some((given) => given !== undefined);
}
