import type { Snapshot } from '@aosc/contract';
import { isAbortedPhase, isAbortingPhase, isSnapshotAtHome, jobOfShardPhase, opaqueId } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { IndexPorts } from '../../ports/index-ports';
import type { PrimaryRouting } from '../../ports/index-state-port';
import { tryCloseSnapshots } from '../snapshot/snapshot-lease';
import { readPrimaryRouting } from '../snapshot/source-look';
import { unrecordedKeepAlive } from '../snapshot/open-on-copy';
import { retryAllocations } from '../snapshot/retry-allocations';
import { ShardFailedError } from '../errors';
import type { ShardContext } from '../context';
import type { ShardSession } from '../session/shard-session';

const progressEveryMs = 30_000;

/**
 * How often the heartbeat extends a snapshot within its keep-alive: not at each beat, because each extension is a
 * search.
 */
const extensionsPerLife = 10;

/**
 * Shows life while a job runs, and looks after the snapshot. An open point in time keeps its shard's lock on its node.
 * If the shard's copy has failed there or moved away, it can't come back while the lock is held: its allocation fails
 * five times, and the user's index stays red, or yellow. So the heartbeat closes a snapshot within two beats once the
 * primary is gone from the snapshot's node. The work that reads from the snapshot then finds the loss, and repairs it.
 */
export class Heartbeat {
  /** Snapshots whose primary was on another node at the last look. */
  private readonly endangered = new Set<string>();
  /**
   * Snapshots that the heartbeat has closed. The record names such a snapshot until the work finds it lost, perhaps
   * only after a slow bulk. Until then no beat closes or extends it again.
   */
  private readonly givenUp = new Set<string>();

  /** When a beat last extended each snapshot, by its id, on the clock that never jumps. */
  private readonly extended = new Map<string, number>();

  private loggedAt: number;

  /** @param context the job's own: the session's context would count the requests of a beat as progress of the work */
  constructor(
    private readonly session: ShardSession,
    private readonly context: ShardContext,
  ) {
    this.loggedAt = context.clock.monotonic();
  }

  /**
   * Beats until the signal fires, and then ends without an error. A beat that finds the claim lost ends the session.
   * @throws ShardFailedError when a look finds that the shard can't go on
   */
  async run(signal: AbortSignal): Promise<void> {
    // Two loops: a slow look at the cluster must not make a living worker look dead.
    try {
      await Promise.all([
        this.repeat(signal, () => this.showLife()),
        this.repeat(signal, () => this.protectShards()),
      ]);
    } finally {
      this.context.metrics.flowing(this.session.owner, undefined);
    }
  }

  private async repeat(signal: AbortSignal, beat: () => Promise<void>): Promise<void> {
    const { clock, timing, log } = this.context;
    for (;;) {
      try {
        await clock.sleep(untilNextBeat(clock.monotonic(), timing.heartbeatMs), signal);
        await beat();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ShardFailedError) throw error;
        log.warn('heartbeat_failed', 'the next beat tries again', { reason: String(error) });
      }
    }
  }

  private async showLife(): Promise<void> {
    const { session } = this;
    await session.update();
    const wanted = await session.migrationIsIn((phase) => !isAbortingPhase(phase) && !isAbortedPhase(phase));
    if (!wanted) session.lose('the migration is being cancelled or has failed');
    const { phase, flow } = session.record;
    const work = jobOfShardPhase[phase] === 'backfill' ? 'backfill' : 'replay';
    if (flow !== undefined) this.context.metrics.flowing(session.owner, { ...flow, work });
    this.logProgress();
  }

  private logProgress(): void {
    const { clock, log, shard } = this.context;
    const { progress, backfill, flow } = this.session.record;
    if (backfill?.status !== 'IN_PROGRESS' || progress === undefined) return;
    if (clock.monotonic() - this.loggedAt < progressEveryMs) return;
    this.loggedAt = clock.monotonic();
    log.info('backfill_progress', 'copying', {
      shard,
      docs: backfill.documentsIndexed,
      totalDocs: progress.totalDocuments,
      docsPerSecond: progress.documentsPerSecond,
      bytesPerSecond: progress.bytesPerSecond,
      remainingSeconds: progress.remainingSeconds,
      controller: flow?.controller,
      targetBytes: flow?.targetBytes,
      concurrency: flow?.concurrency,
      pageSize: flow?.pageSize,
      bulkRetries: backfill.bulkRetries,
      pauses: flow?.pauses,
      lastOverload: flow?.lastOverload?.reason,
    });
  }

  private async protectShards(): Promise<void> {
    const { session } = this;
    // The look at the nodes comes first: the requests below can wait for a node that hangs and is about to leave the
    // cluster.
    await session.lookAtNodes();
    const { source, target, timing } = this.context;
    const { snapshot, nextSnapshot } = session.record;
    for (const held of [snapshot, nextSnapshot]) {
      if (held !== undefined)
        await this.protectShard(source, held, timing.snapshotKeepAliveMs, () =>
          readPrimaryRouting(this.context, session.signal),
        );
    }
    for (const held of session.targetSnapshots) {
      await this.protectShard(target, held, unrecordedKeepAlive(timing), async () => {
        const { primaries } = await target.state.readRouting({ signal: session.signal });
        return primaries.find(({ shard }) => shard === held.shard);
      });
    }
  }

  private async protectShard(
    index: IndexPorts,
    snapshot: Pick<Snapshot, 'pitId' | 'nodeId' | 'allocationId'>,
    keepAliveMs: number,
    readRouting: () => Promise<PrimaryRouting | undefined>,
  ): Promise<void> {
    const { session } = this;
    const { log, migration, shard } = this.context;
    if (this.givenUp.has(snapshot.pitId)) return;
    const primary = await readRouting();
    if (primary === undefined || !isSnapshotAtHome(snapshot, primary)) {
      if (!this.endangered.has(snapshot.pitId)) {
        this.endangered.add(snapshot.pitId);
        return;
      }
      log.warn('snapshot_given_up', 'the primary has left the node of the snapshot: closing it', { shard });
      // The snapshot's node may be away, and come back with the snapshot: the next beat tries again.
      if ((await tryCloseSnapshots(index.snapshots, [snapshot.pitId])).length > 0) return;
      this.givenUp.add(snapshot.pitId);
      await retryAllocations(index.cluster, this.context, session.signal);
      return;
    }
    this.endangered.delete(snapshot.pitId);
    if (!this.mayExpireSoon(snapshot.pitId, keepAliveMs)) return;
    try {
      await index.snapshots.extend(snapshot.pitId, keepAliveMs, {
        signal: session.signal,
        opaqueId: opaqueId(migration.key, shard, session.epoch),
      });
      this.extended.set(snapshot.pitId, this.context.clock.monotonic());
    } catch (error) {
      // The next read from the snapshot finds the loss; the beat itself has nothing to repair.
      if (!isClusterError(error, 'snapshot_lost')) throw error;
    }
  }

  private mayExpireSoon(pitId: string, keepAliveMs: number): boolean {
    const at = this.extended.get(pitId);
    return at === undefined || this.context.clock.monotonic() - at >= keepAliveMs / extensionsPerLife;
  }
}

/**
 * All jobs of a process beat at the same moments, so that they share the reads and writes of a beat.
 * @param now of the clock that never jumps, ms
 * @returns ms until the next beat: at least a quarter of `everyMs`, so that a timer that fires a little early does not
 *   beat twice
 */
export function untilNextBeat(now: number, everyMs: number): number {
  const left = everyMs - (now % everyMs);
  return left < everyMs / 4 ? left + everyMs : left;
}
