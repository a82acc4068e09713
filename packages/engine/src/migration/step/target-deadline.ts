import type { MigrationRecord } from '@aosc/contract';
import type { StepContext } from './context';

/** In this time a worker replaces a dead owner, or a primary that is started again comes back. */
const graceMs = 60_000;
/**
 * At most this many returns from CUTTING_OVER get a grace. With more of them the wait might never end: something is in
 * the way each time.
 */
const graces = 3;

/**
 * Until when PREPARING_TARGET waits for what is in the way of the write block. That is the deadline of
 * `target_ready_timeout_seconds`. CUTTING_OVER waits for rounds, too, so the deadline may be over when the migration
 * returns from there. Then PREPARING_TARGET waits for a grace from the return on, a few times.
 * @returns epoch milliseconds
 */
export function waitsUntilMillis(
  { nodes }: Pick<StepContext, 'nodes'>,
  {
    targetReadyDeadlineMillis: deadline = 0,
    transitionHistory,
  }: Pick<MigrationRecord, 'targetReadyDeadlineMillis' | 'transitionHistory'>,
): number {
  const [, ...returns] = transitionHistory.filter(({ phase }) => phase === 'PREPARING_TARGET');
  // A node that has left may cause the return. The service waits for that node first, and the grace begins afterwards.
  const ends = returns
    .map(({ startTimeMillis }) => startTimeMillis + nodes.waitMs + graceMs)
    .filter((end) => end > deadline);
  return ends.length > graces ? deadline : Math.max(deadline, ends.at(-1) ?? 0);
}
