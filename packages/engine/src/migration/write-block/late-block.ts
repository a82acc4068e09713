import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { isAbortedPhase, isTerminalPhase } from '@aosc/domain';
import { isIndexMissing } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * The block of a migration that has ended, if there should be none any more: one that is found nevertheless has landed
 * late. After the swap the old index stays blocked unless it was asked otherwise.
 */
export function blockToBeGone({ phase, writeBlock }: MigrationRecord): WriteBlock | undefined {
  if (!isTerminalPhase(phase) || writeBlock === undefined || writeBlock.usersOwn) return undefined;
  return phase === 'COMPLETED' && !writeBlock.lifted ? undefined : writeBlock;
}

/** The lifted block of an attempt that was undone a moment ago: a request for it may land late. */
export function blockLandedLate(
  { clock, timing }: Pick<StepContext, 'clock' | 'timing'>,
  { writeBlock, putOffs }: MigrationRecord,
): WriteBlock | undefined {
  if (writeBlock === undefined || writeBlock.usersOwn || !writeBlock.lifted) return undefined;
  const undone = putOffs?.findLast(({ blockedMs }) => blockedMs !== undefined);
  return undone !== undefined && clock.now() - undone.atMillis < timing.guardMs ? writeBlock : undefined;
}

/**
 * Whether the migration's source has a write block, by the block itself: a late one can show in it alone, because the
 * setting was taken back while it waited for writes.
 */
export async function isSourceBlocked(
  { source, signal }: StepContext,
  { sourceUuid }: MigrationRecord,
): Promise<boolean> {
  try {
    const described = await source.state.describe({ signal });
    if (described?.uuid !== sourceUuid) return false;
    return (await source.settings.readWriteBlock({ signal })) !== 'none';
  } catch (error) {
    if (isIndexMissing(error)) return false;
    throw error;
  }
}

/**
 * Whether a block of the source that was seen before this is asked can be that of another migration: each writes down
 * that it is going to block before it does.
 */
export async function isBlockOfAnother(context: StepContext, record: MigrationRecord): Promise<boolean> {
  const others = await findOthers(context, record);
  return others.some(({ phase, writeBlock }) => {
    // About to write that down: what it finds blocked then it takes over, and lifts at its end.
    if (writeBlock === undefined || writeBlock.lifted) return phase === 'CUTTING_OVER';
    return !isAbortedPhase(phase);
  });
}

/**
 * Whose late block the source may have, while that migration is guarded. To take it for the user's would be to leave it
 * for good.
 */
export async function findLateBlock(
  context: StepContext,
  record: MigrationRecord,
): Promise<WriteBlock | undefined> {
  const others = await findOthers(context, record);
  return others.map(blockToBeGone).find((block) => block !== undefined);
}

/** The other migrations of the source that run, or are guarded. */
async function findOthers(
  { store, signal }: StepContext,
  { key, sourceUuid }: MigrationRecord,
): Promise<readonly MigrationRecord[]> {
  const active = await store.listActive({ signal });
  return active
    .map(({ record }) => record)
    .filter((record) => record.key !== key && record.sourceUuid === sourceUuid);
}
