import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import { ignoreClusterErrors, isIndexMissing } from '../../ports/cluster-error';
import type { MigrationView, StepContext } from '../step/context';
import { confirmShards } from './confirm-shards';

/** The refresh is short, because applications write meanwhile, which gives the last rounds more to do. */
const refreshLimitMs = 500;

/**
 * Looks whether the target is there and the shards are at rest.
 * @returns `measured`: how long the refresh of the target and the write of the shards' records took, in milliseconds
 */
export async function measureCutover(
  context: StepContext,
  shards: MigrationView['shards'],
): Promise<{
  readonly isTargetThere: boolean;
  readonly atRest: MigrationView['shards'] | undefined;
  readonly measured: NonNullable<MigrationRecord['measured']>;
}> {
  const since = context.clock.monotonic();
  const took = () => Math.round(context.clock.monotonic() - since);
  const [[isTargetThere, refreshMs], [atRest, requestMs]] = await Promise.all([
    refreshTarget(context).then((isThere) => [isThere, took()] as const),
    confirmShards(context, shards, isAtRest).then((confirmed) => [confirmed, took()] as const),
  ]);
  return { isTargetThere, atRest, measured: { refreshMs, requestMs } };
}

function isAtRest({ phase, writer }: ShardRecord): boolean {
  return phase === 'CONVERGED' && writer.owner === undefined;
}

/**
 * Refreshes the target before the block, while no application waits. The last rounds look up in the target the
 * documents that they are about to delete, and for that a node refreshes a shard that was written to since its last
 * refresh. If this refresh fails or takes too long, the last rounds take longer.
 * @returns whether the target is there
 */
async function refreshTarget({ target, signal }: StepContext): Promise<boolean> {
  try {
    await target.state.refresh({ signal: timeLimit(refreshLimitMs, signal) });
  } catch (error) {
    signal.throwIfAborted();
    if (isIndexMissing(error)) return false;
    ignoreClusterErrors(error);
  }
  return true;
}
