import type { ShardRecord } from '@aosc/contract';
import { missingRuns, type NodeRun } from '@aosc/domain';
import type { Call } from '../ports/call';
import type { Clock } from '../ports/clock';
import type { ClusterPort } from '../ports/cluster-port';
import { untilAborted } from './coalesced-calls';

/**
 * Callers within this time share one request, because the jobs of a process claim shards and beat at about the same
 * time.
 */
const lookLastsMs = 1000;
/**
 * The longest gap between two looks at a missing node. After a longer gap the time of its absence begins again: the
 * node may have been back in between, and have got a new write. `drainBulks` looks twice a second, a worker at each
 * heartbeat.
 */
const gapMs = 10_000;

interface Missing {
  readonly sinceMs: number;
  /** when this process last saw that the node is missing */
  readonly lookedAtMs: number;
}

/**
 * What one process knows of nodes that have left the cluster. A run is a node between two starts of its process. When a
 * node stalls, the cluster removes it after some seconds. From then on `_tasks` does not ask the node, and the node
 * gets no new cluster state. When the node resumes, it carries out the bulks that it holds. The node still has an old
 * cluster state, in which fences are open that were closed since. So the node sends these bulks on, and the primary
 * accepts them.
 */
export class NodeWatch {
  private readonly missing = new Map<NodeRun, Missing>();
  private readonly announced = new Set<NodeRun>();
  private look: { readonly atMs: number; readonly members: Promise<readonly NodeRun[]> } | undefined;

  /** @param waitMs a node that is gone for this long counts as dead */
  constructor(
    private readonly cluster: Pick<ClusterPort, 'readView'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    readonly waitMs: number,
  ) {}

  /**
   * The cluster's members, as they were a moment ago.
   * @param known runs whose absence the watch notes
   */
  async members(known: readonly NodeRun[], call: Call): Promise<readonly NodeRun[]> {
    const members = await this.lookAround(call);
    this.judge(known, members);
    return members;
  }

  /**
   * Finds the known runs that are gone now. The absence of a run counts from the look at which this process first
   * missed it, as long as no gap between two looks was longer than {@link gapMs}. (`UnchangedWatch` would also count a
   * gap in which the node may have been back.)
   * @param members read a moment ago
   */
  judge(known: readonly NodeRun[], members: readonly NodeRun[]) {
    this.welcomeBack(members);
    const lookedAtMs = this.clock.monotonic();
    const missing = missingRuns(known, members);
    for (const run of missing) {
      this.missing.set(run, { sinceMs: this.find(run)?.sinceMs ?? lookedAtMs, lookedAtMs });
    }
    return {
      /** nodes that may still come back with what they hold */
      awaited: missing.filter((run) => !this.isLost(run)),
      /** nodes that are out of the cluster for so long that they count as dead */
      lost: missing.filter((run) => this.isLost(run)),
    };
  }

  /**
   * The `writer` of a shard's record, with all runs that may hold one of the shard's bulks: the members, and the
   * missing runs that the record names. This leaves out a run that counts as dead once the fence is ready. Until then
   * the run stays, so that `drainBulks` can log its loss.
   * @param members of an earlier look; earlier calls of `judge` have found which runs count as dead
   */
  note(writer: ShardRecord['writer'], members: readonly NodeRun[]): ShardRecord['writer'] {
    const missing = missingRuns(writer.nodes ?? [], members);
    const kept = missing.filter((run) => !this.isLost(run) || !writer.fenceReady);
    return { ...writer, nodes: [...members, ...kept].toSorted() };
  }

  /** Notes that a log line names these runs. @returns whether one of them is new */
  announce(runs: readonly NodeRun[]): boolean {
    const before = this.announced.size;
    for (const run of runs) this.announced.add(run);
    return this.announced.size > before;
  }

  private async lookAround(call: Call): Promise<readonly NodeRun[]> {
    const now = this.clock.monotonic();
    if (this.look !== undefined && now - this.look.atMs < lookLastsMs) {
      // Another caller's look. If that look fails, this caller sends a look of its own.
      const shared = this.look.members.catch(() => undefined);
      const members = await untilAborted(shared, call);
      if (members !== undefined) return members;
    }
    const members = this.cluster.readView(undefined, call).then((view) => view.members);
    this.look = { atMs: now, members };
    return members;
  }

  private isLost(run: NodeRun): boolean {
    const missing = this.find(run);
    return missing !== undefined && this.clock.monotonic() - missing.sinceMs >= this.waitMs;
  }

  /**
   * What this process knows of the run's absence; undefined also where its last look was too long ago ({@link gapMs}).
   */
  private find(run: NodeRun): Missing | undefined {
    const missing = this.missing.get(run);
    return missing !== undefined && this.clock.monotonic() - missing.lookedAtMs <= gapMs
      ? missing
      : undefined;
  }

  private welcomeBack(members: readonly NodeRun[]): void {
    const missing = new Set(missingRuns([...this.missing.keys()], members));
    for (const run of this.missing.keys()) {
      if (missing.has(run) && this.find(run) !== undefined) continue;
      this.missing.delete(run);
      this.announced.delete(run);
    }
  }
}
