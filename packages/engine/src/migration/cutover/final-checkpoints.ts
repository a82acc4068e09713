import type { MigrationRecord } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import type { IndexRouting, PrimaryCheckpoint } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

/** What the source shows of itself under the block. */
export interface FinalLook {
  readonly routing: IndexRouting;
  readonly checkpoints: readonly PrimaryCheckpoint[];
}

export async function lookAtFinals({
  source,
  signal,
}: Pick<StepContext, 'source' | 'signal'>): Promise<FinalLook> {
  const [routing, checkpoints] = await Promise.all([
    source.state.readRouting({ signal }),
    source.state.readCheckpoints({ signal }),
  ]);
  return { routing, checkpoints };
}

/**
 * Whether these are the last checkpoints of the source: no write can be acknowledged any more, every shard is at its
 * last number, and each was asked of its primary by a view that is not from before the block.
 */
export function areFinal(
  record: Pick<MigrationRecord, 'key' | 'writeBlock' | 'sourceShardCount'>,
  { routing, checkpoints }: FinalLook,
): boolean {
  return (
    showsOurBlock(record, routing) &&
    checkpoints.length === record.sourceShardCount &&
    checkpoints.every(
      ({ shard, nodeId, state, globalCheckpoint, maxSeqNo }) =>
        state === 'STARTED' &&
        globalCheckpoint === maxSeqNo &&
        routing.primaries.some((primary) => primary.shard === shard && primary.nodeId === nodeId),
    )
  );
}

/**
 * Whether this view of the source is not from before the block: it shows the block and its mark, which was made right
 * before. A primary of this view holds every write that was acknowledged, whatever has become primary since.
 */
function showsOurBlock(
  { key, writeBlock }: Pick<MigrationRecord, 'key' | 'writeBlock'>,
  { isWriteBlocked, aliases }: IndexRouting,
): boolean {
  return isWriteBlocked && (writeBlock?.usersOwn === true || aliases.includes(blockAlias(key)));
}
