import type { ShardRecord } from '@aosc/contract';

/** Asks for documents to be written again. An id that is there already comes a second time, because its document may be under way. */
export function askForRepair(record: ShardRecord, ids: readonly string[]): ShardRecord {
  return { ...record, repairIds: [...new Set(record.repairIds), ...ids] };
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
