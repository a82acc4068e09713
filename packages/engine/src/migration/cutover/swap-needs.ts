import type { MigrationRecord } from '@aosc/contract';
import { isClusterError } from '../../ports/cluster-error';
import type { IndexDescription, IndexStatePort } from '../../ports/index-state-port';
import type { Call } from '../../ports/call';
import type { StepContext } from '../step/context';

/**
 * Finds what would keep the swap from happening. The scheduler calls this while shards are copied, and once more right
 * before it stops writers. Under the write block `findCutoverHazard` looks again.
 * @param known the source, if the caller has just read it
 * @returns the reason; undefined: the swap can be made
 */
export async function findSwapObstacle(
  { source, target, signal }: Pick<StepContext, 'source' | 'target' | 'signal'>,
  record: MigrationRecord,
  known?: IndexDescription,
): Promise<string | undefined> {
  const call = { signal };
  const [described, holders] = await Promise.all([
    known ?? source.state.describe(call),
    target.cluster.aliases.indicesOf(record.alias, call),
  ]);
  // The steps that need the source report that it is gone.
  if (described?.uuid !== record.sourceUuid) return undefined;
  const moved = findMovedAlias(record, described, holders);
  if (moved !== undefined) return moved;
  if (!described.aliases.has(record.alias) && (await target.cluster.aliases.isIndex(record.alias, call))) {
    return `alias [${record.alias}] is the name of an index by now: something has created one during the migration`;
  }
  return findUnfitFilter(described, record.alias, { index: record.targetIndex, state: target.state }, call);
}

/**
 * Finds out whether the alias points at another index, or has left the source, where the start found it. Records of
 * earlier versions do not say whether the start found the alias. With such a record a missing alias is no reason.
 * @returns the reason not to swap; undefined: there is none
 */
export function findMovedAlias(
  {
    sourceIndex,
    alias,
    options: { createAlias },
  }: Pick<MigrationRecord, 'sourceIndex' | 'alias' | 'options'>,
  source: Pick<IndexDescription, 'aliases'> | undefined,
  holders: readonly string[],
): string | undefined {
  // The reason does not name the other index: some readers of this migration's status may not know of that index.
  if (holders.some((index) => index !== sourceIndex)) {
    return `alias [${alias}] points at another index by now: it was changed by another client during the migration`;
  }
  if (createAlias === false && source?.aliases.has(alias) === false) {
    return `alias [${alias}] was taken away from source index [${sourceIndex}] during the migration`;
  }
  return undefined;
}

/**
 * Tries the alias's filter on the target. When an alias moves, OpenSearch parses the filter against the new index,
 * which may lack fields that the filter names.
 * @returns the reason not to swap; undefined: the target takes the filter, or there is none
 */
export async function findUnfitFilter(
  { aliases }: Pick<IndexDescription, 'aliases'>,
  alias: string,
  target: { readonly index: string; readonly state: Pick<IndexStatePort, 'count'> },
  call: Call,
): Promise<string | undefined> {
  const filter = readFilter(aliases.get(alias)?.json);
  if (filter === undefined) return undefined;
  try {
    await target.state.count(filter, call);
    return undefined;
  } catch (error) {
    if (!isClusterError(error, 'invalid', 'too_many_clauses')) throw error;
    return `target index [${target.index}] can't take the filter of alias [${alias}]: ${error.message}`;
  }
}

/**
 * Parsing may round numbers. That does no harm, because this filter is only tried, and the swap uses the text itself.
 */
function readFilter(json = '{}'): Readonly<Record<string, unknown>> | undefined {
  const properties: unknown = JSON.parse(json);
  if (typeof properties !== 'object' || properties === null || !('filter' in properties)) return undefined;
  const { filter } = properties;
  return typeof filter === 'object' && filter !== null ? { ...filter } : undefined;
}
