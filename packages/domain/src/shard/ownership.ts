import type { ShardRecord } from '@aosc/contract';
import { countLostOwner } from './liveness';

export type ClaimDecision =
  | { readonly type: 'claimed'; readonly record: ShardRecord; readonly takeover: boolean }
  /** another writer owns the shard and shows life */
  | { readonly type: 'busy' };

/** Who wants to write a shard. */
export interface Claimant {
  /** unique for this job in this process */
  readonly id: string;
  /** host and process id, for people; undefined: not known */
  readonly process?: string | undefined;
}

/**
 * May the claimant become the shard's one writer?
 * - The shard has no writer (the last one handed back with every outcome known): same epoch, the fence stays as it is.
 * - The writer shows no life: a new epoch. Its fence must exist and its predecessors must be drained before the first
 *   write. The old writer may still be running, but its fence is gone by then.
 */
export function decideClaim(
  record: ShardRecord,
  { id: owner, process }: Claimant,
  nowMillis: number,
  staleAfterMs: number,
): ClaimDecision {
  const { writer } = record;
  if (writer.owner !== owner && showsLife(writer, nowMillis, staleAfterMs)) return { type: 'busy' };
  const takeover = writer.owner !== undefined;
  const { quietAtMillis: _before, process: _last, ...rest } = writer;
  return {
    type: 'claimed',
    takeover,
    record: {
      ...(takeover ? countLostOwner(record, 'silent') : record),
      writer: {
        ...rest,
        ...(isQuiet(writer) && !takeover && { quietAtMillis: nowMillis }),
        epoch: takeover ? writer.epoch + 1 : writer.epoch,
        fenceReady: takeover ? false : writer.fenceReady,
        owner,
        ...(process !== undefined && { process }),
        claimedAtMillis: nowMillis,
        heartbeatAtMillis: nowMillis,
      },
    },
  };
}

/**
 * Whether no node can still execute anything that was sent for the shard. The mark carries the time of the write that
 * made it: a version of the service that does not know the mark leaves an old one behind when it writes.
 */
export function isQuiet({ quietAtMillis, heartbeatAtMillis }: ShardRecord['writer']): boolean {
  return quietAtMillis !== undefined && quietAtMillis === heartbeatAtMillis;
}

/** The shard has a writer, and its record has changed lately. A heartbeat from far in the future proves nothing. */
export function showsLife(
  { owner, heartbeatAtMillis }: ShardRecord['writer'],
  nowMillis: number,
  staleAfterMs: number,
): boolean {
  return owner !== undefined && Math.abs(nowMillis - heartbeatAtMillis) < staleAfterMs;
}

/** The writer hands back: every bulk it sent has a known outcome, so the next one may use the same fence. */
export function releaseWriter(record: ShardRecord): ShardRecord {
  const { owner: _released, process: _where, claimedAtMillis: _when, ...writer } = record.writer;
  return { ...record, writer };
}

/** Takes the shard away from its writer: each of its compare-and-sets fails from here on. */
export function revokeWriter(record: ShardRecord): ShardRecord {
  const {
    owner: _revoked,
    process: _where,
    claimedAtMillis: _when,
    quietAtMillis: _unknown,
    ...writer
  } = record.writer;
  return { ...record, writer: { ...writer, epoch: writer.epoch + 1, fenceReady: false } };
}
