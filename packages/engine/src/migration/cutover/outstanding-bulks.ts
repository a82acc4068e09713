import { isOpaqueIdOf, isQuiet } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { ShardRecord } from '@aosc/contract';
import type { Stored } from '../../ports/store-port';
import { isAnybodyAwaited } from '../../cluster/drain';
import { mayWritesRun } from '../phases/decide-finish';
import type { MigrationView, StepContext } from '../step/context';

/**
 * Whether a bulk may land once more (see `shard/fence/quiet.ts`): it still runs on some node, or a node that may hold
 * one is away. After the swap it could bring back what applications have deleted since.
 */
export async function areBulksOutstanding(
  context: StepContext,
  { record, shards }: MigrationView,
): Promise<boolean> {
  if (shards.every(({ record: shard }) => isQuiet(shard.writer))) return false;
  const { target, signal } = context;
  const { members } = await target.cluster.readView(undefined, { signal });
  if (isAnybodyAwaited(context, runsInQuestion(shards), members)) return true;
  try {
    const matches = (opaqueId: string): boolean => isOpaqueIdOf(opaqueId, record.key);
    return mayWritesRun(await target.tasks.listBulks(matches, { signal }), members);
  } catch (error) {
    // Where `_tasks` is not allowed, only a node that is away shows an outstanding bulk, and none is away.
    if (isClusterError(error, 'forbidden')) return false;
    throw error;
  }
}

/** Nodes that may hold a document which a worker has sent. */
function runsInQuestion(shards: readonly Stored<ShardRecord>[]): readonly string[] {
  const nodes = shards
    .filter(({ record }) => !isQuiet(record.writer))
    .flatMap(({ record }) => record.writer.nodes ?? []);
  return [...new Set(nodes)];
}
