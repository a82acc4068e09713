import { nodeIdOf, type NodeRun } from '@aosc/domain';
import type { Clock } from '../ports/clock';
import { ClusterError, instead } from '../ports/cluster-error';
import type { ClusterPort } from '../ports/cluster-port';
import type { LogPort } from '../ports/log-port';
import type { IndexPorts } from '../ports/index-ports';
import { repeatTransient, type RepeatPolicy } from '../ports/repeat-transient';
import type { TaskPort, WriteTasks } from '../ports/task-port';
import type { NodeWatch } from './node-watch';

const drainPollMs = 100;
const nodePollMs = 500;
/**
 * A drain fails after this time plus the wait for absent nodes. A bulk waits at most a minute for its primary, and then
 * for its replicas: ten minutes are far more than that.
 */
const drainLimitMs = 600_000;
const maxFailures = 20;

/** Repeats one failed request up to {@link maxFailures} times. The next request begins its own count. */
const whileDraining: RepeatPolicy = ({ kind }, tries) =>
  (kind === 'transient' || kind === 'overload') && tries <= maxFailures ? drainPollMs : undefined;

/** Which bulks a drain waits for, and what it knows of them. */
export interface Drain {
  /** by their `X-Opaque-Id` */
  readonly matches: (opaqueId: string) => boolean;
  /**
   * Whether the fence of the bulks is gone, by the index's aliases in a cluster state: a node in that state refuses the
   * bulks. Left out: the fence is still there, so bulks may begin later, and the drain does not wait for those. Where
   * `_tasks` is not allowed, a drain without `isClosed` does not wait at all, because nothing shows when the earlier
   * bulks have ended.
   */
  readonly isClosed?: (aliases: readonly string[]) => boolean;
  /** nodes that may hold one of the bulks */
  readonly nodes: () => readonly NodeRun[];
  /** called at each poll, so that the caller can show that it waits and does not hang */
  readonly onWait?: () => void;
}

interface DrainContext {
  /** where the bulks go */
  readonly target: Pick<IndexPorts, 'index'> & {
    readonly cluster: Pick<ClusterPort, 'readView'>;
    readonly tasks: Pick<TaskPort, 'listBulks'>;
  };
  readonly nodes: NodeWatch;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly timing: { readonly requestTimeoutMs: number };
}

/**
 * Waits until the bulks no longer run on any node.
 *
 * First it waits until each node that may hold such a bulk is in a cluster state in which their fence is closed. A node
 * that has left the cluster does not know that state. So the node must come back, or be restarted, or be gone for so
 * long that it counts as dead. Then the drain asks each member which bulks it runs. In the other order a member could
 * report no bulk, and begin one afterwards.
 */
export async function drainBulks(context: DrainContext, drain: Drain, signal: AbortSignal): Promise<void> {
  const { clock, nodes, timing, log } = context;
  const deadline = clock.monotonic() + drainLimitMs + nodes.waitMs;
  for (;;) {
    const members = await presentMembers(context, drain, signal);
    let waitedFor: readonly string[] | undefined;
    for (;;) {
      const tasks = await listTasks(context, drain, signal);
      if (tasks === undefined) {
        if (drain.isClosed === undefined) return;
        log.warn('drain_by_time', '_tasks is not allowed: waiting out the request time-out instead');
        return clock.sleep(timing.requestTimeoutMs, signal);
      }
      // A member that has left since `presentMembers` does not answer, and may hold a bulk: then the drain begins again
      // with the members.
      const haveAllAnswered = members.every((run) => tasks.answered.includes(nodeIdOf(run)));
      const known = drain.isClosed === undefined ? waitedFor : undefined;
      waitedFor = known?.filter((task) => tasks.running.includes(task)) ?? tasks.running;
      if (haveAllAnswered && waitedFor.length === 0) return;
      if (clock.monotonic() > deadline) throw new Error('bulks that were sent do not end');
      drain.onWait?.();
      await clock.sleep(drainPollMs, signal);
      if (!haveAllAnswered) break;
    }
  }
}

/** @returns undefined where `_tasks` is not allowed */
function listTasks(
  { target, clock }: DrainContext,
  { matches }: Drain,
  signal: AbortSignal,
): Promise<WriteTasks | undefined> {
  const list = () => target.tasks.listBulks(matches, { signal });
  return repeatTransient(list, clock, signal, whileDraining).catch(instead(undefined, 'forbidden'));
}

/**
 * Waits until no node is away that may hold one of the bulks.
 * @returns the cluster's members then
 */
async function presentMembers(
  context: DrainContext,
  { isClosed = () => true, nodes, onWait }: Drain,
  signal: AbortSignal,
): Promise<readonly NodeRun[]> {
  const { index, cluster } = context.target;
  for (;;) {
    const readView = async () => {
      const view = await cluster.readView(index, { signal });
      // A cluster manager that was paused and has just woken up shows an old state, with the members of that time. So a
      // state counts only if it shows the fences closed.
      if (isClosed(view.aliases)) return view;
      throw new ClusterError('transient', `the cluster state does not show the fences of [${index}] closed`);
    };
    const { members } = await repeatTransient(readView, context.clock, signal, whileDraining);
    if (!isAnybodyAwaited(context, nodes(), members)) return members;
    onWait?.();
    await context.clock.sleep(nodePollMs, signal);
  }
}

/**
 * Whether the caller must wait for nodes that are gone and may hold a write. Logs these nodes, or else the nodes that
 * count as dead.
 */
export function isAnybodyAwaited(
  { nodes, log }: { readonly nodes: NodeWatch; readonly log: LogPort },
  known: readonly NodeRun[],
  members: readonly NodeRun[],
): boolean {
  const { awaited, lost } = nodes.judge(known, members);
  if (awaited.length > 0) {
    if (nodes.announce(awaited)) {
      log.warn('node_awaited', 'a node that may hold a write has left the cluster: it is waited for', {
        nodes: awaited.map(nodeIdOf).join(','),
        waitMs: nodes.waitMs,
      });
    }
    return true;
  }
  if (lost.length > 0) {
    log.warn('node_given_up', 'a node that may hold a write counts as dead: going on without it', {
      nodes: lost.map(nodeIdOf).join(','),
      waitMs: nodes.waitMs,
    });
  }
  return false;
}
