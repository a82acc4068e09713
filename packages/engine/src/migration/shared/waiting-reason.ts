import type { MigrationPhase, WaitingReason } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import { type Changed, changed, type CoordinatorContext, type Waiting } from './context';

/** Most waits are shorter, and need nobody. */
const unnoticedMs = 10_000;
/** Figures in the text change at every look. */
const textEveryMs = 10_000;

/**
 * Waits, and writes down for what once the phase has lasted a while. The status would show nothing but the phase for the
 * hours that `target_ready_timeout_seconds` allows.
 */
export function waitHeldUp<P extends MigrationPhase>(
  { clock, log }: CoordinatorContext,
  record: MigrationIn<P>,
  { reason, text }: { readonly reason: WaitingReason; readonly text: string },
  wakeInMs: number,
): Changed<P> | Waiting {
  const { heldUp } = record;
  const now = clock.now();
  if (heldUp?.reason === reason) {
    if (heldUp.text === text || now - record.lastUpdatedMillis < textEveryMs)
      return { type: 'waiting', wakeInMs };
    return changed({ ...record, heldUp: { ...heldUp, text } });
  }
  if (now - (record.transitionHistory.at(-1)?.startTimeMillis ?? now) < unnoticedMs) {
    return { type: 'waiting', wakeInMs };
  }
  log.warn('waiting', text, { waitingFor: reason });
  return changed({ ...record, heldUp: { reason, sinceMillis: now, text } });
}
