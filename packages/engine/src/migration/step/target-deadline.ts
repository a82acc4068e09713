import type { MigrationRecord } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import type { StepContext, StepResult } from './context';
import { failMigration } from './failure';
import { type HeldUp, waitHeldUp } from './waiting-reason';

type Preparing = MigrationIn<'PREPARING_TARGET'>;

/**
 * Waits for what is in the way of the write block, and fails the migration when the time for that is over.
 * @param wait with `late`: why the migration fails
 */
export async function waitOrFail(
  context: StepContext,
  record: Preparing,
  wait: HeldUp & { readonly late: HeldUp['describe'] },
): Promise<StepResult<'PREPARING_TARGET'>> {
  if (context.clock.now() < waitsUntilMillis(context, record)) return waitHeldUp(context, record, wait);
  return failMigration(context, record, await wait.late());
}

/**
 * Extends the target's deadline while the migration waits for the operator, for the rest after an attempt, for a
 * verification, for a worker, or for keys that shards still read. The target is not at fault for such a wait, which may
 * last for days. When the wait ends, at least half of the target's time is left.
 * @returns undefined: at least half of the time is left
 */
export function withLaterDeadline(
  { clock }: Pick<StepContext, 'clock'>,
  record: Preparing,
): Preparing | undefined {
  const now = clock.now();
  const readyTimeoutMs = record.options.targetReadyTimeoutSeconds * 1000;
  if ((record.targetReadyDeadlineMillis ?? 0) - now >= readyTimeoutMs / 2) return undefined;
  return { ...record, targetReadyDeadlineMillis: now + readyTimeoutMs };
}

/**
 * The further time after a return to PREPARING_TARGET: enough for a worker to replace a dead owner, or for a primary to
 * start again.
 */
const graceMs = 60_000;
/**
 * At most this many returns to PREPARING_TARGET get the further time. Without this bound a migration whose every
 * attempt returns might wait for ever.
 */
const graces = 3;

/**
 * Until when PREPARING_TARGET waits for what is in the way of the write block: until the deadline of
 * `target_ready_timeout_seconds`. The deadline may be over when the migration returns from an attempt. Then
 * PREPARING_TARGET waits for a further time (`graceMs`) after the return, but only a few times.
 * @returns epoch milliseconds
 */
function waitsUntilMillis(
  { nodes }: Pick<StepContext, 'nodes'>,
  {
    targetReadyDeadlineMillis: deadline = 0,
    transitionHistory,
  }: Pick<MigrationRecord, 'targetReadyDeadlineMillis' | 'transitionHistory'>,
): number {
  const [, ...returns] = transitionHistory.filter(({ phase }) => phase === 'PREPARING_TARGET');
  // A node that has left may cause the return. The service waits for that node first, and `graceMs` begins afterwards.
  const ends = returns
    .map(({ startTimeMillis }) => startTimeMillis + nodes.waitMs + graceMs)
    .filter((end) => end > deadline);
  return ends.length > graces ? deadline : Math.max(deadline, ends.at(-1) ?? 0);
}
