import type { MigrationPhase, Waiting as FoundWaiting } from '@aosc/contract';
import { findWaiting, type MigrationIn, replaceWait } from '@aosc/domain';
import { type Changed, changed, type StepContext, type Waiting } from './context';

/** Most waits are shorter, and the status need not explain a short wait. */
const longUnnoticedMs = 10_000;
/**
 * The text changes at most this often. Its figures differ at every look, and some of them cost the cluster much work.
 */
const textEveryMs = 10_000;

/** How long until the next look, where the caller names no time. */
const pollMs = { target: 1000, gap: 200 } as const;

/** What a migration waits for. */
export interface HeldUp {
  readonly reason: keyof typeof pollMs;
  readonly describe: () => string | Promise<string>;
  readonly wakeInMs?: number;
  /** for this long after the phase began, the status shows no reason */
  readonly unnoticedMs?: number;
}

/**
 * Waits, and writes the reason into the record once the phase has lasted for `unnoticedMs`. Without the reason the
 * status might show only the phase for the hours that `target_ready_timeout_seconds` allows.
 */
export async function waitHeldUp<P extends MigrationPhase>(
  { clock, log }: StepContext,
  record: MigrationIn<P>,
  { reason, describe, wakeInMs = pollMs[reason], unnoticedMs = longUnnoticedMs }: HeldUp,
): Promise<Changed<P> | Waiting> {
  const before = findWaiting(record, 'cutover');
  const waitFor = (found: FoundWaiting): Changed<P> =>
    changed({ ...record, waits: replaceWait(record.waits, 'cutover', found) });
  const now = clock.now();
  if (before?.reason === reason) {
    if (now - record.lastUpdatedMillis < textEveryMs) return { type: 'waiting', wakeInMs };
    const text = await describe();
    return before.text === text ? { type: 'waiting', wakeInMs } : waitFor({ ...before, text });
  }
  if (now - (record.transitionHistory.at(-1)?.startTimeMillis ?? now) < unnoticedMs) {
    return { type: 'waiting', wakeInMs };
  }
  const text = await describe();
  log.warn('waiting', text, { waitingFor: reason });
  return waitFor({ reason, sinceMillis: now, text });
}
