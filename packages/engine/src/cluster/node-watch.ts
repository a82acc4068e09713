import type { ShardRecord } from '@aosc/contract';
import { missingRuns, type NodeRun } from '@aosc/domain';
import type { Call } from '../ports/call';
import type { Clock } from '../ports/clock';
import type { ClusterPort } from '../ports/cluster-port';
import { untilAborted } from './coalesced-calls';

/** Shards that begin or beat together share a look. */
const lookLastsMs = 1000;
/**
 * After a gap of this length between two looks a missing node's time starts again: the node may have come back in
 * between, and have taken a new write with it. A drain looks twice a second, a worker at each beat.
 */
const gapMs = 10_000;

interface Missing {
  readonly sinceMs: number;
  /** when this process last saw that the node is missing */
  readonly lookedAtMs: number;
}

export interface Absence {
  /** nodes that may still come back with what they hold */
  readonly awaited: readonly NodeRun[];
  /** nodes that are out of the cluster for so long that they count as dead */
  readonly lost: readonly NodeRun[];
}

/**
 * What one process knows of nodes that have left the cluster. The cluster removes a node that stalls after some
 * seconds. From then on the node neither tells its tasks nor gets new cluster states. When it goes on, it carries out
 * the bulks that it holds by the state it had: in that state fences are open that were closed long ago, and the primary
 * accepts its writes.
 */
export class NodeWatch {
  private readonly missing = new Map<NodeRun, Missing>();
  private readonly announced = new Set<NodeRun>();
  private look: { readonly atMs: number; readonly members: readonly NodeRun[] } | undefined;
  private looking: { readonly atMs: number; readonly members: Promise<readonly NodeRun[]> } | undefined;

  /** @param waitMs how long this process waits for a node that is gone */
  constructor(
    private readonly cluster: Pick<ClusterPort, 'readView'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    readonly waitMs: number,
  ) {}

  /**
   * The cluster's members, as they were a moment ago.
   * @param known runs whose absence is to be noticed
   */
  async members(known: readonly NodeRun[], call: Call): Promise<readonly NodeRun[]> {
    const members = await this.lookAround(call);
    this.judge(known, members);
    return members;
  }

  /**
   * Finds the known runs that are gone now. A run's time counts from when this process first missed it, for as long as
   * the process has gone on looking. `UnchangedWatch` would not do: a node may have been back during a gap.
   * @param members read a moment ago
   */
  judge(known: readonly NodeRun[], members: readonly NodeRun[]): Absence {
    this.welcomeBack(members);
    const lookedAtMs = this.clock.monotonic();
    const missing = missingRuns(known, members);
    for (const run of missing) {
      this.missing.set(run, { sinceMs: this.find(run)?.sinceMs ?? lookedAtMs, lookedAtMs });
    }
    return {
      awaited: missing.filter((run) => !this.isLost(run)),
      lost: missing.filter((run) => this.isLost(run)),
    };
  }

  /**
   * The writer with the runs that may hold one of its bulks. Runs that count as dead stay in it until the epochs before
   * are drained: the drain logs that it goes on without them.
   * @param members may be old: they tell nothing of which node is missing now
   */
  note(writer: ShardRecord['writer'], members: readonly NodeRun[]): ShardRecord['writer'] {
    const missing = missingRuns(writer.nodes ?? [], members);
    const kept = missing.filter((run) => !this.isLost(run) || !writer.fenceReady);
    return { ...writer, nodes: [...members, ...kept].toSorted() };
  }

  /** @returns whether one of the runs was not announced before */
  announce(runs: readonly NodeRun[]): boolean {
    const before = this.announced.size;
    for (const run of runs) this.announced.add(run);
    return this.announced.size > before;
  }

  private async lookAround(call: Call): Promise<readonly NodeRun[]> {
    const now = this.clock.monotonic();
    const isRecent = ({ atMs }: { readonly atMs: number }): boolean => now - atMs < lookLastsMs;
    if (this.look !== undefined && isRecent(this.look)) return this.look.members;
    if (this.looking !== undefined && isRecent(this.looking)) {
      // The caller that asks may give up or fail. Then the other callers look for themselves.
      const members = await untilAborted(
        this.looking.members.catch(() => undefined),
        call,
      );
      if (members !== undefined) return members;
    }
    const members = this.readMembers(now, call);
    this.looking = { atMs: now, members };
    return members;
  }

  private async readMembers(atMs: number, call: Call): Promise<readonly NodeRun[]> {
    const { members } = await this.cluster.readView(undefined, call);
    if (this.look === undefined || this.look.atMs <= atMs) this.look = { atMs, members };
    return members;
  }

  private isLost(run: NodeRun): boolean {
    const missing = this.find(run);
    return missing !== undefined && this.clock.monotonic() - missing.sinceMs >= this.waitMs;
  }

  /** What this process knows of the run's absence, if it looked a moment ago. */
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
