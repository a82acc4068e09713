import type { MigrationStatus } from '@aosc/client';
import { formatBytes, plain } from '../output/text';

/** The state of a cutover, and what it waits for, in a line. */
export function describeCutover(cutover: MigrationStatus['cutover']): string {
  if (cutover === undefined) return 'given up';
  const { state, waits_for: waitsFor, next_attempt_millis: next, predicted_pause_ms: pauseMs } = cutover;
  const { pinned_bytes: pinnedBytes = 0 } = cutover;
  const when = next === undefined ? '' : `, ${new Date(next).toISOString()}`;
  const pause = pauseMs === undefined ? '' : `; predicted pause ${(pauseMs / 1000).toFixed(2)} s`;
  const pinned = pinnedBytes === 0 ? '' : `; snapshots keep ${formatBytes(pinnedBytes)} on disk`;
  const words = state.replaceAll('_', ' ');
  return waitsFor === undefined
    ? `${words}${pause}`
    : plain(`${words}: waits for ${waitsFor}${when}${pause}${pinned}`);
}
