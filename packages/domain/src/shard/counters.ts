import type { Counters, ShardRecord } from '@aosc/contract';

export type CounterName = 'backfill' | 'replay' | 'convergence' | 'catchingUp';

/** Begins the named counters where they have not begun. */
export function beginCounters(record: ShardRecord, name: CounterName, nowMillis: number): ShardRecord {
  if (record[name] !== undefined) return record;
  const counters: Counters = {
    status: 'IN_PROGRESS',
    ...(name === 'backfill' ? { documentsIndexed: 0 } : { operationsApplied: 0, deletesApplied: 0 }),
    bulkRetries: 0,
    rounds: 0,
    currentGap: 0,
    startTimeMillis: nowMillis,
  };
  return { ...record, [name]: counters };
}

/** Changes some of the named counters; they must have begun. */
export function changeCounters(
  record: ShardRecord,
  name: CounterName,
  change: Partial<Counters> | ((before: Counters) => Partial<Counters>),
): ShardRecord {
  const counters = record[name];
  if (counters === undefined) throw new Error(`counters ${name} have not begun`);
  const changed = typeof change === 'function' ? change(counters) : change;
  return { ...record, [name]: { ...counters, ...changed } };
}

export function completeCounters(record: ShardRecord, name: CounterName, nowMillis: number): ShardRecord {
  const counters = record[name];
  if (counters === undefined || counters.status === 'COMPLETED') return record;
  return { ...record, [name]: { ...counters, status: 'COMPLETED', endTimeMillis: nowMillis } };
}

/** @returns the counters that say how far the shard is behind: those of its last rounds */
const gapCounters = ({ convergence }: ShardRecord): 'replay' | 'convergence' =>
  convergence === undefined ? 'replay' : 'convergence';

/** How far the shard is behind, in operations; undefined: it has had no round yet. */
export function notedGap(record: ShardRecord): number | undefined {
  return record[gapCounters(record)]?.currentGap;
}

/** Notes how far the shard is behind, in operations, once it has had a round. */
export function withGap(record: ShardRecord, gap: number): ShardRecord {
  const name = gapCounters(record);
  if (record[name] === undefined) return record;
  return changeCounters(record, name, { currentGap: gap });
}

/** Marks the counters that still run as failed, because the shard has failed. */
export function failCounters(record: ShardRecord, nowMillis: number): ShardRecord {
  const names: readonly CounterName[] = ['backfill', 'replay', 'convergence', 'catchingUp'];
  return names.reduce<ShardRecord>((changed, name) => {
    const counters = changed[name];
    if (counters?.status !== 'IN_PROGRESS') return changed;
    return { ...changed, [name]: { ...counters, status: 'FAILED', endTimeMillis: nowMillis } };
  }, record);
}
