import { isOpaqueIdOf, isQuiet, runsOf } from '@aosc/domain';
import { instead } from '../../ports/cluster-error';
import { isAnybodyAwaited } from '../../cluster/drain';
import { mayWritesRun } from '../phases/decide-finish';
import type { MigrationView, StepContext } from '../step/context';

/**
 * Whether a bulk may still land, for the first or a second time (see `shard/fence/await-quiet.ts`): the bulk runs on
 * some node, or a node that may hold it is away. After the swap such a bulk could bring back documents that
 * applications have deleted.
 */
export async function areBulksOutstanding(
  context: StepContext,
  { record, shards }: MigrationView,
): Promise<boolean> {
  const inQuestion = shards.map((stored) => stored.record).filter(({ writer }) => !isQuiet(writer));
  if (inQuestion.length === 0) return false;
  const { target, signal } = context;
  const { members } = await target.cluster.readView(undefined, { signal });
  if (isAnybodyAwaited(context, runsOf(inQuestion), members)) return true;
  const listed = target.tasks.listBulks((opaqueId) => isOpaqueIdOf(opaqueId, record.key), { signal });
  // Where `_tasks` is not allowed, only nodes that are away count, and none is away.
  const tasks = await listed.catch(instead(undefined, 'forbidden'));
  return tasks !== undefined && mayWritesRun(tasks, members);
}
