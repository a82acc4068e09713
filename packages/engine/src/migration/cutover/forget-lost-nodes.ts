import type { ShardRecord } from '@aosc/contract';
import type { NodeRun } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';
import { isAlive } from '../step/shard-jobs';

/**
 * Takes nodes that count as dead out of the records of shards without an owner. Otherwise the last round would wait,
 * under the block, for nodes that the scheduler has already waited for. Workers take turns in looking at shards at
 * rest, so only the scheduler is sure to have watched a node's whole absence.
 * @param lost runs that count as dead by this process's watch
 * @returns whether the record of a shard without a living owner still names one of them
 */
export async function forgetLostNodes(
  context: Pick<StepContext, 'store' | 'nodes' | 'signal' | 'clock' | 'liveness' | 'timing'>,
  shards: readonly Stored<ShardRecord>[],
  lost: readonly NodeRun[],
  members: readonly NodeRun[],
): Promise<boolean> {
  const { store, nodes, signal } = context;
  const namesLost = ({ nodes: named = [] }: ShardRecord['writer']): boolean =>
    named.some((run) => lost.includes(run));
  const forgets = shards
    .filter(({ record }) => namesLost(record.writer))
    .map(async (stored) => {
      const { record } = stored;
      // CUTTING_OVER waits until the round of a living owner has ended, and then looks again. The successor of a dead
      // owner waits for the node. The node is an obstacle, so that this wait comes before the write block.
      if (record.writer.owner !== undefined) return !isAlive(context, stored);
      const writer = nodes.note(record.writer, members);
      if (namesLost(writer)) return true;
      const written = unlessConflict(() => store.replaceShard(stored, { ...record, writer }, { signal }));
      return (await written) === undefined;
    });
  return (await Promise.all(forgets)).includes(true);
}
