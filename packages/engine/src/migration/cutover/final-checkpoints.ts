import type { MigrationRecord } from '@aosc/contract';
import { blockAlias, isHeld } from '@aosc/domain';
import type { IndexRouting, PrimaryCheckpoint } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

const checkpointPollMs = 20;

/** What the source shows of itself under the block or the hold. */
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
 * last number, and the routing, which names the primaries, is not older than the block.
 */
export function areFinal(
  record: Pick<MigrationRecord, 'key' | 'writeBlock' | 'writeHold' | 'committed' | 'sourceShardCount'>,
  { routing, checkpoints }: FinalLook,
): boolean {
  return (
    // Under a hold these checkpoints prove nothing, because a write may pass the hold. So the migration reads them
    // again before the swap, under the block.
    (isHeld(record) || showsOurBlock(record, routing)) &&
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
 * Whether this view of the source is not older than the block: it shows the block, and the mark that was made right
 * before the block. A primary of this view holds every write that was acknowledged, even if another copy has become
 * primary since.
 */
function showsOurBlock(
  { key, writeBlock }: Pick<MigrationRecord, 'key' | 'writeBlock'>,
  { isWriteBlocked, aliases }: IndexRouting,
): boolean {
  return isWriteBlocked && (writeBlock?.usersOwn === true || aliases.includes(blockAlias(key)));
}

/**
 * Reads the checkpoints under the confirmed block, or under a hold, until they are final. With `async` durability
 * checkpoints move only on a sync or a flush, so some of the tries flush. The source is not refreshed: each last round
 * refreshes its own shard.
 * @returns undefined: they are not final yet, ask again
 * @param first a look from a moment ago, after the block was confirmed
 */
export async function readFinalCheckpoints(
  context: StepContext,
  record: MigrationRecord,
  first: FinalLook | undefined,
): Promise<readonly PrimaryCheckpoint[] | undefined> {
  const { source, signal, clock } = context;
  for (let attempt = 0; attempt < 50; attempt++) {
    const look = (attempt === 0 ? first : undefined) ?? (await lookAtFinals(context));
    if (areFinal(record, look)) return look.checkpoints;
    if (attempt % 10 === 1) await source.state.flush({ signal });
    await clock.sleep(checkpointPollMs, signal);
  }
  return undefined;
}
