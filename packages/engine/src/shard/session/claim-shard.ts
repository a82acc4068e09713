import type { ShardRecord } from '@aosc/contract';
import { decideClaim, jobOfShardPhase, opaqueId, type ShardJobKind } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import { accessShard, writeOwn } from '../../ports/acknowledged-write';
import { ClusterError, ignoreClusterErrors } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import type { ShardContext } from '../context';
import type { WorkSignals } from './owned-record';
import { ShardWork } from '../write/shard-work';

export type ClaimResult =
  | { readonly type: 'claimed'; readonly session: ShardWork; readonly takeover: boolean }
  | { readonly type: 'busy' }
  /** there is no such shard, or its phase needs no job */
  | { readonly type: 'finished' };

/** When an owner counts as dead, in milliseconds, and what is written with the claim. */
export interface ClaimRequest {
  /** the owner's last beat must be this old, by this process's clock and the time that the owner has written */
  readonly staleAfterMs: number;
  /** then the record must not change for this long while this process watches: this compares no clocks */
  readonly confirmMs: number;
  readonly begin?: (record: ShardRecord) => ShardRecord;
}

/**
 * Takes the shard by compare-and-set.
 * @param owner unique for this job in this process
 * @throws the reason of the signal `stop`, if it fires while this waits to be sure that an owner is dead
 */
export async function claimShard(
  context: ShardContext,
  owner: string,
  signals: WorkSignals,
  kind: ShardJobKind,
  { staleAfterMs, confirmMs, begin = (record) => record }: ClaimRequest = context.timing,
): Promise<ClaimResult> {
  const signal = signals.stop;
  const { store, migration, shard, clock } = context;
  const stored = context.known ?? (await store.readShard(migration.key, shard, { signal }));
  if (stored === undefined || jobOfShardPhase[stored.record.phase] === undefined) return { type: 'finished' };
  const claimant = { id: owner, process: context.process };
  const decision = decideClaim(stored.record, claimant, clock.now(), staleAfterMs);
  if (decision.type === 'busy') return { type: 'busy' };
  if (decision.takeover) {
    await Promise.all([keepSnapshots(context, stored.record, signal), clock.sleep(confirmMs, signal)]);
  }
  // Before the job sends its first bulk, the record must name every node that may come to hold the bulk.
  const members = await context.nodes.members(decision.record.writer.nodes ?? [], { signal });
  const claimed = begin({
    ...decision.record,
    writer: context.nodes.note(decision.record.writer, members),
  });
  // A process that was asleep may find the shard free although another process has its job by now.
  signals.assertInTime();
  // If the old owner has beaten since the read, this write ends in a conflict: the owner lives, and only its clock
  // differs.
  const after = await writeClaim(context, stored, claimed, signals);
  if (after === undefined) return { type: 'busy' };
  const session = new ShardWork(context, { stored: after, owner, members }, signals, kind);
  return { type: 'claimed', takeover: decision.takeover, session };
}

const keepLimitMs = 5000;

/**
 * Extends the snapshots that a dead owner has left. A snapshot gets its full keep-alive at the first read after the
 * record names it, and the owner may have died before that read. The claim, the fences and the wait for an absent node
 * may take longer than the short keep-alive. If a snapshot is lost all the same, its next reader finds the loss.
 */
async function keepSnapshots(
  { source, timing, migration, shard }: ShardContext,
  { snapshot, nextSnapshot, writer }: ShardRecord,
  signal: AbortSignal,
): Promise<void> {
  const named = [snapshot, nextSnapshot].filter((each) => each !== undefined);
  // The requests have the opaque id of the dead owner, because this process has no epoch yet. This does no harm: the
  // drain of older epochs waits for bulks with that id, not for searches.
  const call = {
    signal: timeLimit(keepLimitMs, signal),
    opaqueId: opaqueId(migration.key, shard, writer.epoch),
  };
  await Promise.all(
    named.map(({ pitId }) =>
      source.snapshots.extend(pitId, timing.snapshotKeepAliveMs, call).catch(ignoreClusterErrors),
    ),
  );
}

const maxTries = 3;

/**
 * Writes the claim, and recognises it after a lost answer: otherwise the shard would have an owner that does no work. A
 * shutdown waits for the answer, too: a claim that arrives after its worker has ended would keep all other processes
 * from the shard until the owner counts as dead.
 * @returns undefined when another process has written the record
 * @throws ClusterError 'transient' when it is not known whether the claim is there
 */
async function writeClaim(
  { store, clock }: ShardContext,
  found: Stored<ShardRecord>,
  claimed: ShardRecord,
  { stop, kill: signal }: WorkSignals,
): Promise<Stored<ShardRecord> | undefined> {
  stop.throwIfAborted();
  const outcome = await writeOwn(accessShard(store, claimed, signal), found, {
    next: (_before, tries, cause) => {
      if (tries <= maxTries) return claimed;
      throw new ClusterError(
        'transient',
        'the claim is there, and no write of it is answered',
        {},
        { cause },
      );
    },
    pauseMs: ({ kind }, tries) =>
      tries <= maxTries && (kind === 'conflict' || kind === 'transient') ? 0 : undefined,
    isOwn: ({ writer }) => writer.owner === claimed.writer.owner,
    sleep: (ms) => clock.sleep(ms, signal),
  });
  if ('stored' in outcome) return outcome.stored;
  if (outcome.lostBy.kind === 'conflict') return undefined;
  throw outcome.lostBy;
}
