import type { ShardRecord } from '@aosc/contract';
import { missingRuns, type NodeRun } from '@aosc/domain';
import type { Call } from '../ports/call';
import type { Clock } from '../ports/clock';
import type { ClusterPort } from '../ports/cluster-port';
import { untilAborted } from './coalesced-calls';

/** Shards that begin or beat together share a look. */
const lookLastsMs = 1000;
/**
 * A node can have been back between two looks that are further apart, and have taken a new write with it: its time
 * starts again. A drain looks twice a second, a worker at each beat.
 */
const gapMs = 10_000;

interface Missing {
  readonly sinceMs: number;
  /** when it was last seen to be missing */
  readonly lookedAtMs: number;
}

export interface Absence {
  /** may still come back with what they hold */
  readonly awaited: readonly NodeRun[];
  /** out of the cluster for so long that they count as dead */
  readonly lost: readonly NodeRun[];
}

/**
 * What one process knows of nodes that have left the cluster. A node that stalls is removed after some seconds, and
 * from then on neither asked for its tasks nor told of new cluster states. When it goes on, it carries out the bulks it
 * holds by the state it had: it finds fences that were closed long ago, and the primary takes what comes from it.
 */
export class NodeWatch {
  private readonly missing = new Map<NodeRun, Missing>();
  private readonly announced = new Set<NodeRun>();
  private look: { readonly atMs: number; readonly members: readonly NodeRun[] } | undefined;
  private looking: { readonly atMs: number; readonly members: Promise<readonly NodeRun[]> } | undefined;

  /** @param waitMs how long a node that is gone is waited for */
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
   * Which of the known runs are gone, now. The time counts from when this process has missed them first, for as long as
   * it has gone on looking: `UnchangedWatch` would not do, because what it did not see for a while may have been back.
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
   * The writer with the runs that may hold one of its bulks. Those that count as dead stay until the epochs before are
   * drained: who drains them says that it goes on without.
   * @param members may be old: they tell nothing of who is missing now
   */
  note(writer: ShardRecord['writer'], members: readonly NodeRun[]): ShardRecord['writer'] {
    const missing = missingRuns(writer.nodes ?? [], members);
    const kept = missing.filter((run) => !this.isLost(run) || !writer.fenceReady);
    return { ...writer, nodes: [...members, ...kept].toSorted() };
  }

  /** Is this the first time that somebody tells of one of them? */
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
      // Whoever looks may give up, or fail: the others look for themselves then.
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

  /** What is known of its absence, if that was looked at a moment ago. */
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
