import type { ShardRecord } from '@aosc/contract';
import { countLostOwner } from './liveness';

export type ClaimDecision =
  | { readonly type: 'claimed'; readonly record: ShardRecord; readonly takeover: boolean }
  /** somebody else writes and shows life */
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
 * - Nobody writes (the last one handed back with every outcome known): same epoch, the fence stays as it is.
 * - Somebody wrote and shows no life: a new epoch, whose fence must be made and whose predecessors must be
 *   drained before the first write. The old writer may still be running: its fence is gone by then.
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
 * Whether nothing that was sent for the shard can still be carried out by any node. The mark bears the time of the write
 * that made it: a version of the service that does not know it leaves it behind with each write of its own.
 */
export function isQuiet({ quietAtMillis, heartbeatAtMillis }: ShardRecord['writer']): boolean {
  return quietAtMillis !== undefined && quietAtMillis === heartbeatAtMillis;
}

/** Somebody writes the shard, and its record has changed lately. A heartbeat from far in the future proves nothing. */
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

/** Takes the shard away from whoever writes: every compare-and-set of theirs fails from here on. */
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
