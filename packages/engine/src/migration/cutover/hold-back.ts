import { findWaiting, type MigrationIn, replaceWait } from '@aosc/domain';
import { type Changed, changed, type StepContext, type Waiting } from '../step/context';

/** A person who approves waits for the next look, and each look costs a handful of requests. */
const lookEveryMs = 3000;

/**
 * Gives the target its time again once the cutover may begin. While the operator puts the cutover off, for days if need
 * be, the time of what would end the migration does not run.
 * @returns undefined: there is time enough
 */
export function withoutDeadline(
  { clock }: Pick<StepContext, 'clock'>,
  record: MigrationIn<'PREPARING_TARGET'>,
): MigrationIn<'PREPARING_TARGET'> | undefined {
  const now = clock.now();
  const readyTimeoutMs = record.options.targetReadyTimeoutSeconds * 1000;
  if ((record.targetReadyDeadlineMillis ?? 0) - now >= readyTimeoutMs / 2) return undefined;
  return { ...record, targetReadyDeadlineMillis: now + readyTimeoutMs };
}

/** All is ready for a cutover that the operator puts off: the shards go on replaying, as seldom as their gaps allow. */
export function holdBack(record: MigrationIn<'PREPARING_TARGET'>): Changed<'PREPARING_TARGET'> | Waiting {
  const { blockNearSinceMillis, ...far } = record;
  if (blockNearSinceMillis === undefined && findWaiting(record, 'cutover') === undefined)
    return { type: 'waiting', wakeInMs: lookEveryMs, restMs: lookEveryMs };
  return changed({ ...far, waits: replaceWait(record.waits, 'cutover', undefined) });
}
