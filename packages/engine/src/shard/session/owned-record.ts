import type { ShardRecord } from '@aosc/contract';
import { forgetLostOwners, type NodeRun, progressMark, releaseWriter, revokeWriter } from '@aosc/domain';
import { accessShard, writeOwn } from '../../ports/acknowledged-write';
import { type ClusterError, isClusterError } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import type { ShardContext } from '../context';
import { OwnershipLostError } from '../errors';

export type RecordChange = (record: ShardRecord) => ShardRecord;
export const unchanged: RecordChange = (record) => record;

const maxAttempts = 5;
const maxRefusals = 15;
const longestPauseMs = 3200;

export interface Claimed {
  readonly stored: Stored<ShardRecord>;
  /** unique for this job in this process */
  readonly owner: string;
  /** nodes of the cluster, as they were a moment ago */
  readonly members: readonly NodeRun[];
}

export interface WorkSignals {
  /** begin nothing new */
  readonly stop: AbortSignal;
  /** end what runs; fires some seconds after `stop`, and at once when the job's lock is lost */
  readonly kill: AbortSignal;
  /** @throws when the job's lock may have run out, by this process's own clock: a paused process wakes up late */
  readonly assertInTime: () => void;
}

/**
 * The record of one shard in the hands of its owner, changed by compare-and-set.
 *
 * Modes: `owned` (from the claim on) → `released` (handed back, every bulk's outcome known) or `lost` (another process
 * took it, or the migration no longer wants the work). Only `owned` may write. When the process is killed the record
 * stays as it is: the next owner starts a new epoch.
 */
export abstract class OwnedRecord {
  private mode: 'owned' | 'released' | 'lost' = 'owned';
  private isInDoubt = false;
  private chain: Promise<unknown> = Promise.resolve();
  private deferred: ReadonlySet<RecordChange> = new Set();
  private stored: Stored<ShardRecord>;
  private members: readonly NodeRun[];
  private readonly loser = new AbortController();
  private readonly failer = new AbortController();
  private readonly assertInTime: () => void;
  readonly owner: string;
  /** Fires when no new work may begin: shutdown, lost lock, lost ownership. Reads and pauses honour it. */
  readonly signal: AbortSignal;
  /**
   * Fires when work under way must end, too. Bulks and changes of the record end only by this signal, so that a
   * shutdown knows the outcome of each.
   */
  readonly killSignal: AbortSignal;
  /** Why the shard can't go on, if another part than the work itself found that (the heartbeat, a refused bulk). */
  failure: Error | undefined;

  constructor(
    readonly context: ShardContext,
    claimed: Claimed,
    { stop, kill, assertInTime }: WorkSignals,
  ) {
    this.stored = claimed.stored;
    this.members = claimed.members;
    this.owner = claimed.owner;
    this.assertInTime = assertInTime;
    this.killSignal = AbortSignal.any([kill, this.loser.signal]);
    this.signal = AbortSignal.any([stop, this.killSignal, this.failer.signal]);
  }

  /** What is written beside each change: the beat, signs of life, live progress. */
  protected abstract withSignsOfLife(record: ShardRecord, beatAtMillis: number): ShardRecord;

  get record(): ShardRecord {
    return this.stored.record;
  }

  get isOwned(): boolean {
    return this.mode === 'owned';
  }

  /**
   * Changes the record; one change at a time, each on top of the last, and on top of deferred changes.
   * @param change left out: writes the deferred changes, with a sign of life
   * @throws OwnershipLostError when another process has taken the shard over
   */
  update(change: RecordChange = unchanged): Promise<ShardRecord> {
    const next = this.chain.then(() => this.write(change));
    this.chain = next.catch(() => undefined);
    return next;
  }

  /**
   * Leaves a change to the next write of the record, whatever that write is for. Until then nothing may rely on the
   * change. If the session ends without a further write, the record stays without it, and the next job does that part
   * of the work again.
   * @param change can be made again and again; the same function deferred twice is called once
   */
  defer(change: RecordChange): void {
    this.deferred = new Set([...this.deferred, change]);
  }

  private async write(change: RecordChange): Promise<ShardRecord> {
    this.assertWritable();
    const { deferred } = this;
    this.deferred = new Set();
    try {
      return await this.writeAll([...deferred, change]);
    } catch (error) {
      this.deferred = new Set([...deferred, ...this.deferred]);
      throw error;
    }
  }

  private async writeAll(changes: readonly RecordChange[]): Promise<ShardRecord> {
    const change: RecordChange = (record) => changes.reduce((changed, make) => make(changed), record);
    const { store, clock, nodes } = this.context;
    const signal = this.killSignal;
    const ownBeats = new Set<number>();
    const outcome = await writeOwn(accessShard(store, this.record, signal), this.stored, {
      next: (before) => {
        const isChanged = ownBeats.has(before.writer.heartbeatAtMillis);
        const changed = isChanged ? before : withoutOldLosses(before, change(before));
        // Each write has a later beat than the last: after a lost answer the beat shows whether a write is our own.
        const beatAtMillis = Math.max(clock.now(), before.writer.heartbeatAtMillis + 1);
        ownBeats.add(beatAtMillis);
        const noted = { ...changed, writer: nodes.note(changed.writer, this.members) };
        return this.withSignsOfLife(noted, beatAtMillis);
      },
      pauseMs: pauseAfter,
      isOwn: (now, written) => isWrittenHere(now, written, ownBeats) || isSameWriter(now, this.record),
      sleep: (ms) => clock.sleep(ms, signal),
    });
    if ('lostBy' in outcome) throw this.lose('another process has taken the shard over');
    this.stored = outcome.stored;
    if (this.record.writer.owner === undefined) this.mode = 'released';
    return this.record;
  }

  /** @throws OwnershipLostError unless the stored record still names this owner and epoch */
  async verify(): Promise<void> {
    const { store, migration, shard } = this.context;
    const now = await store.readShard(migration.key, shard, { signal: this.signal });
    if (now?.record.writer.owner !== this.owner || now.record.writer.epoch !== this.record.writer.epoch) {
      throw this.lose('another process has taken the shard over');
    }
  }

  /** Looks which nodes are in the cluster now: the next change of the record names them. */
  async lookAtNodes(): Promise<void> {
    const known = this.record.writer.nodes ?? [];
    this.members = await this.context.nodes.members(known, { signal: this.signal });
  }

  /** A bulk of this epoch has no known outcome yet: the epoch must be drained before any job writes again. */
  markInDoubt(): void {
    this.isInDoubt = true;
  }

  /** Starts the next epoch. Before the next bulk `closeOlderEpochs` must make its fence and drain the older epochs. */
  async openNextEpoch(): Promise<void> {
    await this.update((record) => ({
      ...record,
      writer: { ...record.writer, epoch: record.writer.epoch + 1, fenceReady: false },
    }));
    this.isInDoubt = false;
  }

  /**
   * The record of a shard that is handed back: the next owner goes on with the same fence, or with a new one when a
   * bulk is in doubt. Once this record is written, the mode is `released`.
   */
  handedBack(record: ShardRecord): ShardRecord {
    return (this.isInDoubt ? revokeWriter : releaseWriter)(record);
  }

  /** Stops all work on the shard in this process. @returns the error to throw */
  lose(reason: string): OwnershipLostError {
    const error = new OwnershipLostError(reason);
    if (this.mode === 'owned') {
      this.mode = 'lost';
      this.loser.abort(error);
    }
    return error;
  }

  /** Hands the shard back. */
  async release(change: RecordChange = unchanged): Promise<void> {
    await this.update((record) => this.handedBack(change(record)));
  }

  /** Ends the work because no process can go on with the shard. */
  fail(error: Error): void {
    this.failure ??= error;
    this.failer.abort(error);
  }

  /** @throws OwnershipLostError, or the signal's reason */
  assertOwned(): void {
    this.signal.throwIfAborted();
    this.assertWritable();
  }

  /** Unlike {@link assertOwned} this passes during a shutdown, which still has to hand the shard back. */
  private assertWritable(): void {
    this.killSignal.throwIfAborted();
    this.assertInTime();
    if (this.mode !== 'owned') throw new OwnershipLostError(`the shard was ${this.mode}`);
  }
}

/** @returns undefined: there is no further try, because there were enough, or because another would not help */
function pauseAfter(error: ClusterError, attempt: number): number | undefined {
  if (!isClusterError(error, 'conflict', 'transient', 'overload')) return undefined;
  // A refusal for overload has changed nothing, and the cluster may be busy with this job's own work. So it gets more
  // tries.
  if (attempt >= (error.kind === 'overload' ? maxRefusals : maxAttempts)) return undefined;
  return error.kind === 'conflict' ? 0 : Math.min(100 * 2 ** attempt, longestPauseMs);
}

/**
 * Whether the stored record is this session's write. After a hand-back the record names no owner: only the beat shows
 * that no other job has had the shard since.
 */
function isWrittenHere(now: ShardRecord, after: ShardRecord, ownBeats: ReadonlySet<number>): boolean {
  if (!isSameWriter(now, after)) return false;
  return after.writer.owner !== undefined || ownBeats.has(now.writer.heartbeatAtMillis);
}

function isSameWriter(a: ShardRecord, b: ShardRecord): boolean {
  return a.writer.owner === b.writer.owner && a.writer.epoch === b.writer.epoch;
}

/** An owner that has made progress has shown that it can go on: owners that were lost before no longer count. */
function withoutOldLosses(before: ShardRecord, after: ShardRecord): ShardRecord {
  return progressMark(after) === progressMark(before) ? after : forgetLostOwners(after);
}
