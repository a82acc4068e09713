import type { CamelStatic, CutoverStatusSchema, MigrationRecord, ShardRecord } from '@aosc/contract';
import { isAbortedPhase, isAbortingPhase, isBlockedPhase } from '../phases';
import { describeAttempts } from './cutover-attempts';
import { decideGate } from './cutover-gate';
import { predictPauseMs } from './predict-pause';

/** How far the cutover is, for people. */
export type CutoverView = CamelStatic<typeof CutoverStatusSchema>;

/** @returns undefined: the migration was given up before a cutover had begun */
export function describeCutover(
  record: MigrationRecord,
  nowMillis: number,
  shards: readonly ShardRecord[] = [],
): CutoverView | undefined {
  const { phase, committed, cutoverOrder: order, withoutHold, pinned } = record;
  const attempts = describeAttempts(record);
  const said = {
    ...(order !== undefined && { order }),
    ...(withoutHold !== undefined && { withoutHold }),
    ...(attempts.length > 0 && { attempts }),
  };
  if (committed) return { state: 'done', ...said };
  if (isAbortingPhase(phase) || isAbortedPhase(phase)) {
    return attempts.length === 0 ? undefined : { state: 'given_up', ...said };
  }
  if (phase === 'CUTTING_OVER' || isBlockedPhase(phase)) return { state: 'attempting', ...said };
  const gate = decideGate(record, nowMillis);
  const predictedPauseMs = predictPauseMs(record, shards);
  const predicted = { ...said, ...(predictedPauseMs !== undefined && { predictedPauseMs }) };
  if (gate.type === 'open') return { state: 'converging', ...predicted };
  return {
    // What the copy lacks comes first; what the cutover waits for then is shown all along.
    state: phase === 'ACTIVE' ? 'converging' : gate.type,
    waitsFor: gate.waitsFor,
    ...(pinned?.bytes !== undefined && { pinnedBytes: pinned.bytes }),
    ...(gate.opensAtMillis !== undefined && { nextAttemptMillis: gate.opensAtMillis }),
    ...predicted,
  };
}
