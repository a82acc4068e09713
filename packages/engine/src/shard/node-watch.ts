import type { ShardRecord } from '@aosc/contract';
import { missingRuns, type NodeRun } from '@aosc/domain';
import type { AdminPort } from '../ports/admin-port';
import type { Call } from '../ports/call';
import type { Clock } from '../ports/clock';

/** Shards that begin or beat together share a look. */
const lookLastsMs = 1000;

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
  private readonly missingSince = new Map<NodeRun, number>();
  private readonly announced = new Set<NodeRun>();
  private look: { readonly atMs: number; readonly members: readonly NodeRun[] } | undefined;

  /** @param waitMs how long a node that is gone is waited for */
  constructor(
    private readonly admin: Pick<AdminPort, 'readClusterView'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    readonly waitMs: number,
  ) {}

  /** The cluster's members, as they were a moment ago. */
  async members(call: Call): Promise<readonly NodeRun[]> {
    const now = this.clock.monotonic();
    if (this.look !== undefined && now - this.look.atMs < lookLastsMs) return this.look.members;
    const { members } = await this.admin.readClusterView(undefined, call);
    this.look = { atMs: now, members };
    this.welcomeBack(members);
    return members;
  }

  /**
   * Which of the known runs are gone, now. The time counts from when this process has missed them first.
   * @param members read a moment ago
   */
  judge(known: readonly NodeRun[], members: readonly NodeRun[]): Absence {
    this.welcomeBack(members);
    const missing = missingRuns(known, members);
    return {
      awaited: missing.filter((run) => !this.isLost(run)),
      lost: missing.filter((run) => this.isLost(run)),
    };
  }

  /**
   * The writer with the runs that may hold one of its bulks. Those that count as dead stay until the epochs before are
   * drained: who drains them says that it goes on without.
   * @param members may be old
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

  /** Asked only about runs that are missing: the first time starts their clock. */
  private isLost(run: NodeRun): boolean {
    const now = this.clock.monotonic();
    const since = this.missingSince.get(run) ?? now;
    this.missingSince.set(run, since);
    return now - since >= this.waitMs;
  }

  private welcomeBack(members: readonly NodeRun[]): void {
    const missing = new Set(missingRuns([...this.missingSince.keys()], members));
    for (const run of this.missingSince.keys()) {
      if (missing.has(run)) continue;
      this.missingSince.delete(run);
      this.announced.delete(run);
    }
  }
}
