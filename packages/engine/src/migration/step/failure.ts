import {
  allSetAside,
  describeEnd,
  findTooMany,
  findWaiting,
  isFailedShard,
  isHeld,
  type MigrationIn,
  moveMigration,
  type PhaseBefore,
} from '@aosc/domain';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import type { Stored } from '../../ports/store-port';
import { type Changed, changed, type MigrationView, type StepContext } from './context';

/** A failed shard is the migration's failure. The text is the original service's. */
export function findFailedShard(shards: readonly Stored<ShardRecord>[]): ShardRecord | undefined {
  return shards.map(({ record }) => record).find(({ phase }) => isFailedShard(phase));
}

/** A failed shard, or more documents that the target refuses than may be set aside. */
export function findFailure({
  record,
  shards,
}: Pick<MigrationView, 'record' | 'shards'>): ShardRecord | string | undefined {
  const refused = allSetAside(shards.map((stored) => stored.record));
  const tooMany = findTooMany(record, refused.length);
  return findFailedShard(shards) ?? (tooMany && `the target refuses ${tooMany}`);
}

/** Moves to FAILING. The log shows that once it is written down. The first reason stays: later ones are its results. */
export function failMigration(
  context: StepContext,
  record: MigrationIn<PhaseBefore<'FAILING'>>,
  cause: string | ShardRecord,
): Changed<'FAILING'> {
  const reason =
    typeof cause === 'string'
      ? cause
      : `shard [${record.sourceIndex}][${cause.shard}] failed: ${cause.error ?? 'unknown'}`;
  const failing = moveMigration(record, 'FAILING', context.clock.now());
  return changed(describeEnd(record) === undefined ? { ...failing, reason } : failing);
}

/** Under the write block the clock decides: past its bound the scheduler lifts the block, whatever is still missing. */
export function isBlockOverdue({ blocks, timing }: StepContext, record: MigrationRecord): boolean {
  return blocks.isOverdue(record, timing.writeBlockMaxMs);
}

/** How long writes may wait, or be refused, before the attempt is undone. */
export function pauseBudgetMs({ cutover }: Pick<StepContext, 'cutover'>, record: MigrationRecord): number {
  const { maxHoldMs = 0, maxPauseMs: byDefault = Infinity } = cutover?.() ?? {};
  const { maxPauseMs = byDefault } = record.options;
  return isHeld(record) ? Math.min(maxPauseMs, maxHoldMs) : maxPauseMs;
}

/** What says how long writes may wait, or be refused. */
export function nameOfBudget({ cutover }: Pick<StepContext, 'cutover'>, record: MigrationRecord): string {
  const { maxHoldMs = 0, maxPauseMs: byDefault = Infinity } = cutover?.() ?? {};
  const { maxPauseMs } = record.options;
  if (isHeld(record) && maxHoldMs < (maxPauseMs ?? byDefault)) return 'aosc.cutover.max_hold';
  return maxPauseMs === undefined ? 'aosc.cutover.max_pause' : 'max_pause_ms';
}

/** Whether the pause has lasted for longer than its budget. */
export function isOverBudget(context: StepContext, record: MigrationRecord): boolean {
  const budgetMs = pauseBudgetMs(context, record);
  return context.blocks.isOverdue(record, budgetMs) || context.blocks.isHeldFor(record, budgetMs);
}

export function failOverdueBlock(
  context: StepContext,
  record: MigrationIn<PhaseBefore<'FAILING'>>,
): Changed<'FAILING'> {
  const waited = findWaiting(record, 'cutover')?.text;
  return failMigration(
    context,
    record,
    `the write block on [${record.sourceIndex}] lasted longer than ${context.timing.writeBlockMaxMs} ms ` +
      `(AOSC_WRITE_BLOCK_MAX_MS): the migration gives up${waited === undefined ? '' : `; it waited for: ${waited}`}`,
  );
}
