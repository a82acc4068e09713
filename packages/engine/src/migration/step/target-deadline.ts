import type { MigrationRecord } from '@aosc/contract';
import type { StepContext } from './context';

/** Time to replace a dead owner, and for a primary that is started again to come back. */
const graceMs = 60_000;
/** After more graces than this the wait would have no end: something is in the way each time. */
const graces = 3;

/**
 * Until when PREPARING_TARGET waits for what is in the way of the write block: `target_ready_timeout_seconds`. After a
 * return from CUTTING_OVER, which waits for rounds, that time may be over: then there is a grace, a few times.
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
  // The service waits for a node that has left, and the grace is for what the node holds up.
  const ends = returns
    .map(({ startTimeMillis }) => startTimeMillis + nodes.waitMs + graceMs)
    .filter((end) => end > deadline);
  return ends.length > graces ? deadline : Math.max(deadline, ends.at(-1) ?? 0);
}
