import { isTerminalPhase } from '@aosc/domain';
import { type Call, type IndexRouting, isClusterError } from '@aosc/engine';
import { type SnapshotRoom, snapshotLimitSetting } from '@aosc/opensearch';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './start-context';

/** A shard holds one point in time from its backfill to its end, and a second one while a round runs. */
const perShard = 2;

/** A migration that runs: where its source's primaries are, and the nodes of the points in time that it holds. */
export interface RunningMigration {
  readonly routing: Pick<IndexRouting, 'primaries'>;
  readonly openOn: readonly string[];
}

/**
 * Points in time are limited for each node. Above the limit a migration would wait for others to end, and two that
 * have taken a part each could wait for each other. So a start is refused unless this one and all that run fit.
 * @throws AoscError precondition_failed with the value that the setting needs
 */
export async function checkOpenSnapshots(
  deps: Pick<ApiDependencies, 'readSnapshotRoom' | 'store' | 'cluster' | 'logger'>,
  { sourceRouting, call }: StartContext,
): Promise<void> {
  let room: SnapshotRoom;
  try {
    room = await deps.readSnapshotRoom(call);
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    // To look is not worth a privilege: what does not fit waits, and says so.
    deps.logger.warn('the limit of open points in time could not be looked at', { error });
    return;
  }
  const shortage = findSnapshotShortage(room, sourceRouting, await readRunning(deps, call));
  if (shortage !== undefined) throw preconditionFailed(shortage);
}

async function readRunning(
  { store, cluster }: Pick<ApiDependencies, 'store' | 'cluster'>,
  call: Call,
): Promise<readonly RunningMigration[]> {
  const running: RunningMigration[] = [];
  for (const { record } of await store.listActive(call)) {
    if (isTerminalPhase(record.phase)) continue;
    try {
      const routing = await cluster.index(record.sourceIndex).state.readRouting(call);
      const shards = await store.readShards(record.key, record.sourceShardCount, call);
      const held = shards.flatMap(({ record: { snapshot, nextSnapshot } }) => [snapshot, nextSnapshot]);
      running.push({ routing, openOn: held.flatMap((one) => (one === undefined ? [] : [one.nodeId])) });
    } catch (error) {
      // A source that is gone opens nothing any more.
      if (!isClusterError(error, 'not_found')) throw error;
    }
  }
  return running;
}

/** @returns what does not fit and what to do, or undefined when all fits */
export function findSnapshotShortage(
  { limit, nodes }: SnapshotRoom,
  sourceRouting: Pick<IndexRouting, 'primaries'>,
  running: readonly RunningMigration[],
): string | undefined {
  const own = running.flatMap(({ openOn }) => openOn);
  const shortages = [...nodes].flatMap(([id, { name, open }]) => {
    const ours = countOn(sourceRouting, id) * perShard;
    if (ours === 0) return [];
    const othersOfOurs = running.reduce((sum, { routing }) => sum + countOn(routing, id) * perShard, 0);
    const foreign = Math.max(0, open - own.filter((node) => node === id).length);
    return [{ name, ours, othersOfOurs, foreign, needed: ours + othersOfOurs + foreign }];
  });
  const worst = shortages.toSorted((a, b) => b.needed - a.needed)[0];
  if (worst === undefined || worst.needed <= limit) return undefined;
  const { name, ours, othersOfOurs, foreign, needed } = worst;
  return (
    `node [${name}] would need room for [${needed}] open points in time (${ours} for this migration, ` +
    `${othersOfOurs} for those that run, ${foreign} open of others) and allows [${limit}]; set the cluster setting ` +
    `[${snapshotLimitSetting}] to at least [${needed}], or wait until other migrations or searches have ended`
  );
}

function countOn({ primaries }: Pick<IndexRouting, 'primaries'>, node: string): number {
  return primaries.filter(({ nodeId }) => nodeId === node).length;
}
