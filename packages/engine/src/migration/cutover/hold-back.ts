import { findWaiting, replaceWait } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import { ignoreClusterErrors } from '../../ports/cluster-error';
import { type Changed, changed, type MigrationView, type StepContext, type Waiting } from '../step/context';

/**
 * After an approval of the cutover the next look comes within this time. Shorter pauses would cost more, because each
 * look takes a few requests.
 */
const lookEveryMs = 3000;
/** The measurement is expensive: it lists the segments of the source and of all snapshots. */
const measureEveryMs = 60_000;
const measureLimitMs = 10_000;

/**
 * Waits while `decideGate` puts off a cutover that is ready: for an approval, for a window, or for the rest after an
 * attempt. The replay goes on without hurry.
 */
export async function holdBack(
  context: StepContext,
  { record, shards }: MigrationView<'PREPARING_TARGET'>,
): Promise<Changed<'PREPARING_TARGET'> | Waiting> {
  const { blockNearSinceMillis, ...far } = record;
  const now = context.clock.now();
  const isMeasured = Math.abs(now - (record.pinned?.atMillis ?? 0)) < measureEveryMs;
  if (isMeasured && blockNearSinceMillis === undefined && findWaiting(record, 'cutover') === undefined)
    return { type: 'waiting', wakeInMs: lookEveryMs, restMs: lookEveryMs };
  const bytes = await measurePinned(context, shards);
  return changed({
    ...far,
    waits: replaceWait(record.waits, 'cutover', undefined),
    pinned: { ...(bytes !== undefined && { bytes }), atMillis: now },
  });
}

/**
 * How many bytes the snapshots keep on disk, for the status.
 * @returns undefined: the service's user may not list segments, or the cluster does not answer. That is no error,
 *   because no step needs the figure
 */
async function measurePinned(
  { source, signal }: StepContext,
  shards: MigrationView['shards'],
): Promise<number | undefined> {
  const pitIds = shards.flatMap(({ record: { snapshot } }) => snapshot?.pitId ?? []);
  try {
    return await source.snapshots.pinnedBytes(pitIds, { signal: timeLimit(measureLimitMs, signal) });
  } catch (error) {
    signal.throwIfAborted();
    ignoreClusterErrors(error);
    return undefined;
  }
}
