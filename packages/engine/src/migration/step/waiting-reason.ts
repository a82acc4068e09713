import type { MigrationPhase, Waiting as FoundWaiting } from '@aosc/contract';
import { findWaiting, type MigrationIn, replaceWait } from '@aosc/domain';
import { type Changed, changed, type StepContext, type Waiting } from './context';

/** Most waits are shorter, and need nobody. */
const unnoticedMs = 10_000;
/** Figures in the text change at every look. */
const textEveryMs = 10_000;

/**
 * Waits, and writes down for what once the phase has lasted a while. The status would show nothing but the phase for the
 * hours that `target_ready_timeout_seconds` allows.
 */
export function waitHeldUp<P extends MigrationPhase>(
  { clock, log }: StepContext,
  record: MigrationIn<P>,
  { reason, text }: { readonly reason: 'target' | 'gap'; readonly text: string },
  wakeInMs: number,
): Changed<P> | Waiting {
  const before = findWaiting(record, 'cutover');
  const waitFor = (found: FoundWaiting): Changed<P> =>
    changed({ ...record, waits: replaceWait(record.waits, 'cutover', found) });
  const now = clock.now();
  if (before?.reason === reason) {
    if (before.text === text || now - record.lastUpdatedMillis < textEveryMs)
      return { type: 'waiting', wakeInMs };
    return waitFor({ ...before, text });
  }
  if (now - (record.transitionHistory.at(-1)?.startTimeMillis ?? now) < unnoticedMs) {
    return { type: 'waiting', wakeInMs };
  }
  log.warn('waiting', text, { waitingFor: reason });
  return waitFor({ reason, sinceMillis: now, text });
}
