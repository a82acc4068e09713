import { AoscError } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import { type Call, type IndexRouting, isClusterError } from '@aosc/engine';
import { type SnapshotRoom, snapshotLimitSetting } from '@aosc/opensearch';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './checks';

/** A shard holds one point in time from its backfill to its end, and a second one while a round runs. */
const perShard = 2;

/** A migration that runs: where its source's primaries are, and the nodes of the points in time that it holds. */
export interface RunningMigration {
  readonly routing: Pick<IndexRouting, 'primaries'>;
  readonly openOn: readonly string[];
}

/** How much of each node's room the indices of a limited credential may take. */
const partOfLimited = 0.5;
const askForRoom =
  `ask an administrator to start the migration or to raise the cluster setting [${snapshotLimitSetting}]` as const;

type Running = RunningMigration & { readonly sourceIndex: string };

/**
 * Each node limits its points in time. Above the limit a migration would wait for others to end, and two migrations
 * that each hold a part could wait for each other. So a start is refused unless it and all running ones fit. Limited
 * callers do not learn what nodes are called and what others hold.
 * @throws AoscError precondition_failed with the value that the setting needs; rate_limited to a limited caller
 */
export async function checkOpenSnapshots(
  deps: Pick<ApiDependencies, 'readSnapshotRoom' | 'readSnapshotLimit' | 'store' | 'cluster' | 'logger'>,
  { sourceRouting, call }: Pick<StartContext, 'sourceRouting' | 'call'>,
  caller: Pick<Caller, 'id' | 'isLimited' | 'mayUseIndex'>,
): Promise<void> {
  const room = await readRoom(deps, call);
  if (room === undefined && !caller.isLimited) return;
  const running = await readRunning(deps, call);
  if (caller.isLimited) {
    const limit = room?.limit ?? (await deps.readSnapshotLimit(call));
    const own = running.filter(({ sourceIndex }) => caller.mayUseIndex(sourceIndex));
    checkShare(limit, sourceRouting, own, caller);
  }
  const shortage = room && findSnapshotShortage(room, sourceRouting, running);
  if (shortage === undefined) return;
  if (!caller.isLimited) throw preconditionFailed(shortage);
  deps.logger.info('a limited credential was refused a start: too few open points in time are left', {
    reason: shortage,
  });
  throw preconditionFailed(
    'a node of the source has too little room for more open points in time; wait until other migrations or searches ' +
      `have ended, or ${askForRoom}`,
  );
}

/** @returns undefined: the service may not read it */
async function readRoom(
  { readSnapshotRoom, logger }: Pick<ApiDependencies, 'readSnapshotRoom' | 'logger'>,
  call: Call,
): Promise<SnapshotRoom | undefined> {
  try {
    return await readSnapshotRoom(call);
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    // This look is not worth a privilege of its own: without room, opening a point in time waits, and says so.
    logger.warn('the limit of open points in time could not be looked at', { error });
    return undefined;
  }
}

/**
 * @throws AoscError precondition_failed when the migration by itself takes too much; rate_limited when it may wait for
 * others
 */
function checkShare(
  limit: number,
  source: Pick<IndexRouting, 'primaries'>,
  own: readonly Pick<RunningMigration, 'routing'>[],
  { id }: Pick<Caller, 'id'>,
): void {
  const share = Math.floor(limit * partOfLimited);
  if (mostOnANode(source, []) > share) {
    throw preconditionFailed(
      `[${id}] is limited to some indices, which may hold at most half of the open points in time that a node allows: ` +
        `the shards of this source need more. Spread its shards over more nodes, or ${askForRoom}`,
    );
  }
  if (mostOnANode(source, own) <= share) return;
  throw new AoscError(
    'rate_limited',
    `[${id}] is limited to some indices, which may hold at most half of the open points in time that a node allows: ` +
      `with the migrations of these indices that run, this one would need more. Wait until one has ended, or ${askForRoom}`,
  );
}

/** Points in time that a limited caller's migrations have room for on the fullest of the source's nodes. */
function mostOnANode(
  source: Pick<IndexRouting, 'primaries'>,
  own: readonly Pick<RunningMigration, 'routing'>[],
): number {
  const nodes = new Set(source.primaries.flatMap(({ nodeId }) => (nodeId === undefined ? [] : [nodeId])));
  const all = [source, ...own.map(({ routing }) => routing)];
  const onNode = (node: string) => all.reduce((sum, routing) => sum + countOn(routing, node) * perShard, 0);
  return Math.max(0, ...[...nodes].map(onNode));
}

async function readRunning(
  { store, cluster }: Pick<ApiDependencies, 'store' | 'cluster'>,
  call: Call,
): Promise<readonly Running[]> {
  const running: Running[] = [];
  for (const { record } of await store.listActive(call)) {
    if (isTerminalPhase(record.phase)) continue;
    const { sourceIndex } = record;
    try {
      const routing = await cluster.index(sourceIndex).state.readRouting(call);
      const shards = await store.readShards(record.key, record.sourceShardCount, call);
      const held = shards.flatMap(({ record: { snapshot, nextSnapshot } }) => [snapshot, nextSnapshot]);
      const openOn = held.flatMap((one) => (one === undefined ? [] : [one.nodeId]));
      running.push({ sourceIndex, routing, openOn });
    } catch (error) {
      // A source that is gone opens no more points in time.
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
