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
 * Whether these are the final checkpoints of the source: each primary's global checkpoint has reached its `max_seq_no`,
 * and the routing that names these primaries is not older than the block. Under a hold this proves nothing, because a
 * write may pass the hold. So the migration reads the checkpoints again before the swap, under the block.
 */
export function areFinal(
  record: Pick<MigrationRecord, 'key' | 'writeBlock' | 'writeHold' | 'committed' | 'sourceShardCount'>,
  { routing, checkpoints }: FinalLook,
): boolean {
  return (
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
 * Whether this routing is not older than the block: it shows the block, and the mark that was made right before the
 * block. A primary of such a routing has every acknowledged write, even if another copy has become primary since.
 */
function showsOurBlock(
  { key, writeBlock }: Pick<MigrationRecord, 'key' | 'writeBlock'>,
  { isWriteBlocked, aliases }: IndexRouting,
): boolean {
  return isWriteBlocked && (writeBlock?.usersOwn === true || aliases.includes(blockAlias(key)));
}

/**
 * Reads the checkpoints until they are final, under the block or the hold. With `async` durability checkpoints move
 * only on a sync or a flush, so some of the tries flush. This does not refresh the source, because each last round
 * refreshes its own shard.
 * @returns undefined: they are not final yet, ask again
 * @param first a look from a moment ago, when no earlier write ran any more
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
