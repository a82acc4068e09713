import type { ShardRecord, Snapshot } from '@aosc/contract';
import {
  beginCopy,
  decideClaim,
  endCopy,
  holdSnapshot,
  newShardRecord,
  releaseWriter,
  showsLife,
} from '@aosc/domain';
import type { Stored } from '@aosc/engine';
import { shardJobName } from '@aosc/queue';
import type { ShardName } from '@aosc/store';

/** Everything that the grants depend on beside Redis: the records, where the primaries are, the setting. */
export interface CopiedShards {
  readonly migrations: readonly string[];
  readonly shardCount: number;
  limit: number;
  homeOf(shard: number): string;
  move(shard: number, nodeId: string): Promise<void>;
  recordsOf(wanted: readonly ShardName[]): readonly Stored<ShardRecord>[];
  /** Takes a shard as a session does. */
  claim(key: string, shard: number, owner: string): boolean;
  /** Changes the record if it is still this owner's. */
  update(key: string, shard: number, owner: string, change: (record: ShardRecord) => ShardRecord): boolean;
  /** Shards whose backfill needs a job. */
  idle(key: string): readonly { readonly shard: number; readonly nodeId: string }[];
  readonly left: number;
}

export function createCopiedShards(
  migrations: readonly string[],
  shardCount: number,
  nodes: readonly string[],
  staleAfterMs: number,
): CopiedShards {
  const homes = Array.from({ length: shardCount }, (_, shard) => nodes[shard % nodes.length] ?? '');
  const all = new Map<string, ShardRecord>();
  for (const key of migrations) {
    for (let shard = 0; shard < shardCount; shard += 1) {
      all.set(shardJobName(key, shard), newShardRecord(key, shard, 0));
    }
  }
  const of = (key: string) => [...all.values()].filter((record) => record.key === key);
  const get = (key: string, shard: number): ShardRecord => {
    const record = all.get(shardJobName(key, shard));
    if (record === undefined) throw new Error(`no shard ${shard}`);
    return record;
  };
  return {
    migrations,
    shardCount,
    limit: 2,
    homeOf: (shard) => homes[shard] ?? '',
    move(shard, nodeId) {
      homes[shard] = nodeId;
      return Promise.resolve();
    },
    recordsOf: (wanted) =>
      wanted.map(({ key, shard }) => ({ record: get(key, shard), seqNo: 0, primaryTerm: 1 })),
    claim(key, shard, owner) {
      const decision = decideClaim(get(key, shard), { id: owner }, Date.now(), staleAfterMs);
      if (decision.type === 'busy') return false;
      all.set(shardJobName(key, shard), decision.record);
      return true;
    },
    update(key, shard, owner, change) {
      const before = get(key, shard);
      if (before.writer.owner !== owner) return false;
      all.set(shardJobName(key, shard), change(before));
      return true;
    },
    idle: (key) =>
      of(key)
        .filter(({ phase, writer }) => phase !== 'CONVERGING' && !showsLife(writer, Date.now(), staleAfterMs))
        .map(({ shard }) => ({ shard, nodeId: homes[shard] ?? '' })),
    get left() {
      return [...all.values()].filter(({ phase }) => phase !== 'CONVERGING').length;
    },
  };
}

export const snapshotOn = (nodeId: string): Snapshot => ({
  pitId: 'p',
  nodeId,
  allocationId: 'x',
  primaryTerm: 1,
  indexUuid: 'i',
  historyUuid: 'h',
  checkpoint: 0,
  maxSeqNo: 0,
  seenMaxSeqNo: 0,
  documentCount: 1,
  openedAtMillis: 0,
});

/** A copy is read from the snapshot's node, wherever the primary moves meanwhile; undefined: it has none yet. */
export function readFrom(nodeId: string | undefined): (record: ShardRecord) => ShardRecord {
  return ({ snapshot: _before, ...record }) =>
    nodeId === undefined ? record : { ...record, snapshot: snapshotOn(nodeId) };
}

export function beat(record: ShardRecord): ShardRecord {
  return { ...record, writer: { ...record.writer, heartbeatAtMillis: Date.now() } };
}

export function finish(record: ShardRecord): ShardRecord {
  const now = Date.now();
  const held = holdSnapshot(beginCopy(record, now), record.snapshot ?? snapshotOn('n'), now);
  return releaseWriter(endCopy(held, now));
}
