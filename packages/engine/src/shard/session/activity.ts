import type { Clock } from '../../ports/clock';
import { type ClusterError, isClusterError } from '../../ports/cluster-error';
import type { IndexPorts } from '../../ports/index-ports';
import type { ShardContext } from '../context';

/**
 * Counts what the cluster answers to the work on a shard: this distinguishes a slow owner from an owner that hangs.
 * Reads of the source and reads and writes of the target count, and so does a refusal. Time-outs and lost connections
 * do not count. Requests for fences and for older bulks do not count either: the cluster answers those although nothing
 * is copied. A pause counts as a sign of life if the request before it was answered.
 */
export class Activity {
  private lastWasAnswered = true;
  private pauses = 0;

  /** @param counted where an earlier owner has stopped: the count never falls */
  constructor(private counted: number) {}

  /** Called once for every write of the record. During a pause each such write counts as a sign of life. */
  read(): number {
    if (this.pauses > 0) this.counted++;
    return this.counted;
  }

  note(answered: boolean): void {
    if (answered) this.counted++;
    this.lastWasAnswered = answered;
  }

  /** Notes a wait on purpose, which ends by itself. */
  noteWait(): void {
    this.counted++;
  }

  async during(pause: () => Promise<void>): Promise<void> {
    if (!this.lastWasAnswered) return pause();
    this.pauses++;
    try {
      await pause();
    } finally {
      this.pauses--;
    }
  }
}

/**
 * The same context, but with its requests and pauses noted. The heartbeat uses the context without notes: a beat is no
 * progress.
 */
export function watchActivity(context: ShardContext, activity: Activity): ShardContext {
  const { clock, source } = context;
  const watched: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    random: () => clock.random(),
    sleep: (ms, signal) => activity.during(() => clock.sleep(ms, signal)),
  };
  return {
    ...context,
    clock: watched,
    source: {
      ...source,
      state: noteCalls(source.state, activity),
      snapshots: noteCalls(source.snapshots, activity),
    },
    target: watchTarget(context.target, activity),
  };
}

function watchTarget(target: IndexPorts, activity: Activity): IndexPorts {
  const state = noteCalls(target.state, activity);
  return {
    ...target,
    state: {
      // The other calls serve fences and sums, which are no progress of the copy.
      ...target.state,
      readRouting: (call) => state.readRouting(call),
      readCheckpoints: (call) => state.readCheckpoints(call),
      getDocuments: (keys, call, nodeId) => state.getDocuments(keys, call, nodeId),
    },
    snapshots: noteCalls(target.snapshots, activity),
    writes: noteCalls(target.writes, activity, evaluateBulk),
    tasks: noteCalls(target.tasks, activity, () => 'no work'),
  };
}

type Evaluate = (result: unknown) => 'answered' | 'unanswered' | 'no work';

/** A bulk never throws: a bulk without an answer has an outcome of its own. */
const evaluateBulk: Evaluate = (outcome) => {
  const isUnknown =
    typeof outcome === 'object' && outcome !== null && 'type' in outcome && outcome.type === 'unknown';
  return isUnknown ? 'unanswered' : 'answered';
};

function noteCalls<P extends object>(port: P, activity: Activity, evaluate: Evaluate = () => 'answered'): P {
  return new Proxy(port, {
    get(target, method) {
      const member: unknown = Reflect.get(target, method);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          const result: unknown = await Reflect.apply(member, target, given);
          const verdict = evaluate(result);
          if (verdict !== 'no work') activity.note(verdict === 'answered');
          return result;
        } catch (error) {
          if (isClusterError(error) && error.kind !== 'aborted') activity.note(wasAnswered(error));
          throw error;
        }
      };
    },
  });
}

/**
 * Whether the cluster has answered. A `transient` error comes from an answer only if it has a status. Errors of all
 * other kinds count as answered.
 */
function wasAnswered({ kind, details }: ClusterError): boolean {
  return kind !== 'transient' || details.status !== undefined;
}
