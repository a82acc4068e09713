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

/** A single failed shard fails the migration. */
export function findFailedShard(shards: readonly Stored<ShardRecord>[]): ShardRecord | undefined {
  return shards.map(({ record }) => record).find(({ phase }) => isFailedShard(phase));
}

/**
 * Finds a reason to fail: a failed shard, or more documents that the target refuses than the migration may leave out.
 */
export function findFailure({
  record,
  shards,
}: Pick<MigrationView, 'record' | 'shards'>): ShardRecord | string | undefined {
  const refused = allSetAside(shards.map((stored) => stored.record));
  const tooMany = findTooMany(record, refused.length);
  return findFailedShard(shards) ?? (tooMany && `the target refuses ${tooMany}`);
}

/**
 * Moves to FAILING. The coordinator logs the move once the record is written. A reason that the record already has
 * stays, because the first failure causes the later ones.
 */
export function failMigration(
  context: StepContext,
  record: MigrationIn<PhaseBefore<'FAILING'>>,
  cause: string | ShardRecord,
): Changed<'FAILING'> {
  // The text for a failed shard is that of the original service (see docs/reference/differences.md).
  const reason =
    typeof cause === 'string'
      ? cause
      : `shard [${record.sourceIndex}][${cause.shard}] failed: ${cause.error ?? 'unknown'}`;
  const failing = moveMigration(record, 'FAILING', context.clock.now());
  return changed(describeEnd(record) === undefined ? { ...failing, reason } : failing);
}

/**
 * Whether the service's write block has lasted longer than `AOSC_WRITE_BLOCK_MAX_MS`. Then the migration fails and
 * lifts the block, whatever the step still waits for, because applications can't write under the block.
 */
export function isBlockOverdue({ blocks, timing }: StepContext, record: MigrationRecord): boolean {
  return blocks.isOverdue(record, timing.writeBlockMaxMs);
}

/**
 * How long the write hold or the write block of an attempt may last before the attempt is undone.
 * @returns `budgetMs`, and for messages `text`, which also names the option or setting that the budget comes from
 */
export function pauseBudget({ cutover }: Pick<StepContext, 'cutover'>, record: MigrationRecord) {
  const { maxHoldMs = 0, maxPauseMs: byDefault = Infinity } = cutover?.() ?? {};
  const { maxPauseMs: asked } = record.options;
  const pause = {
    ms: asked ?? byDefault,
    name: asked === undefined ? 'aosc.cutover.max_pause' : 'max_pause_ms',
  };
  const isHoldShorter = isHeld(record) && maxHoldMs < pause.ms;
  const { ms, name } = isHoldShorter ? { ms: maxHoldMs, name: 'aosc.cutover.max_hold' } : pause;
  return { budgetMs: ms, text: `${ms} ms (${name})` };
}

/** Whether the hold or the service's block has lasted longer than `pauseBudget`. */
export function isOverBudget(context: StepContext, record: MigrationRecord): boolean {
  const { budgetMs } = pauseBudget(context, record);
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
