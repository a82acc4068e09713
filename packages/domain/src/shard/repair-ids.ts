import type { ShardRecord } from '@aosc/contract';

/**
 * Asks for documents to be written again. The ids in front may be under way: an id that is there already comes a second
 * time behind them.
 */
export function askForRepair(record: ShardRecord, ids: readonly string[]): ShardRecord {
  const underWay = takeRepair(record);
  const behind = record.repairIds?.slice(underWay.length) ?? [];
  return { ...record, repairIds: [...underWay, ...new Set([...behind, ...ids])] };
}

/** The ids to write again now: those in front of the first that comes a second time. */
export function takeRepair({ repairIds = [] }: ShardRecord): readonly string[] {
  const ids = new Set<string>();
  const again = repairIds.findIndex((id) => ids.size === ids.add(id).size);
  return repairIds.slice(0, again === -1 ? undefined : again);
}

/** Removes the ids that {@link takeRepair} returned. Ids that were appended since then stay. */
export function endRepair({ repairIds = [], ...rest }: ShardRecord, taken: readonly string[]): ShardRecord {
  const left = repairIds.slice(taken.length);
  return left.length === 0 ? rest : { ...rest, repairIds: left };
}
