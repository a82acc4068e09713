import type { MigrationRecord } from '@aosc/contract';
import type { StepContext } from './context';

/** A dead owner is replaced, a primary that is started again comes back. */
const graceMs = 60_000;
/** More often, and there is no end: something is in the way again each time. */
const graces = 3;

/**
 * Until when PREPARING_TARGET waits for what is in the way of the write block. That is `target_ready_timeout_seconds`, and for what
 * CUTTING_OVER comes back for a while more, a few times: it waits for rounds, so that time may be over by then.
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
  // A node that has left is waited for, and the grace is for what it holds up.
  const ends = returns
    .map(({ startTimeMillis }) => startTimeMillis + nodes.waitMs + graceMs)
    .filter((end) => end > deadline);
  return ends.length > graces ? deadline : Math.max(deadline, ends.at(-1) ?? 0);
}
