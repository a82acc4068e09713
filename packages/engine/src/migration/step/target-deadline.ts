import type { MigrationRecord } from '@aosc/contract';
import type { StepContext } from './context';

/** A dead owner is replaced, a primary that is started again comes back. */
const graceMs = 60_000;
/** After more graces than this the wait would have no end: something is in the way each time. */
const graces = 3;

/**
 * Until when PREPARING_TARGET waits for what is in the way of the write block: `target_ready_timeout_seconds`. When
 * CUTTING_OVER has come back, that time may be over, because it waits for rounds: then there is a grace, a few times.
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
