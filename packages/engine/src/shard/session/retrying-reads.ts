import { opaqueId } from '@aosc/domain';
import type { Call } from '../../ports/call';
import { isClusterError } from '../../ports/cluster-error';
import type { ShardContext, ShardPacing } from '../context';
import { ShardFailedError } from '../errors';
import type { Pauses } from './pauses';

/**
 * At this attempt the log line is a warning. With the usual settings the pauses before it take six seconds, so the
 * trouble is no hiccup.
 */
const warnAt = 3;

/** As much of a session as a read needs. */
export interface Retrying {
  readonly context: Pick<ShardContext, 'log' | 'shard'> & { readonly migration: { readonly key: string } };
  readonly epoch: number;
  readonly pacing: Pick<ShardPacing, 'controller'>;
  readonly pauses: Pauses;
  /** ends the job's other work, which may be in a long pause */
  readonly fail: (error: Error) => void;
  readonly signal: AbortSignal;
  /** @throws when the process may no longer be sure that the shard is its own */
  assertOwned(): void;
}

/**
 * While the cluster is overloaded or out of reach, repeats a call that is harmless to repeat, with the pauses of the
 * settings `*.overload.*`. A pause holds back all such calls of the job. Errors of other kinds go to the caller at
 * once. The call has the writer's opaque id: `_tasks` shows which shard a read is for, as it does for bulks.
 * @param onRefused called before the pause when asking for less may help
 * @throws ShardFailedError with the last cause, after `aosc.overload.max_consecutive_failures`
 */
export async function retryingReads<T>(
  session: Retrying,
  read: (call: Call) => Promise<T>,
  onRefused: () => void = () => undefined,
): Promise<T> {
  const { pauses, signal } = session;
  const { controller } = session.pacing;
  const { log, migration, shard } = session.context;
  for (let attempt = 1; ; attempt++) {
    await pauses.pass('read', signal);
    // A process that was paused may wake up with its lock gone, and another process may hold the permit for the node.
    // Then this process may not even read from the node.
    session.assertOwned();
    const { ticket } = controller.limits();
    try {
      const answer = await read({ signal, opaqueId: opaqueId(migration.key, shard, session.epoch) });
      controller.observeRead({ kind: 'success', ticket });
      return answer;
    } catch (error) {
      if (!isClusterError(error, 'overload', 'transient')) throw error;
      signal.throwIfAborted();
      const isOutage = error.details.awaits !== undefined;
      if (!isOutage) onRefused();
      const reason = error.message;
      const decision = controller.observeRead({ kind: 'refused', ticket, reason, isOutage });
      if (decision.action === 'fail') {
        const failure = new ShardFailedError(decision.reason, { cause: error });
        session.fail(failure);
        throw failure;
      }
      if (decision.action === 'pause') pauses.begin('read', decision.pauseMs, reason);
      const fields = { attempt, pauseMs: Math.round(pauses.left('read')) };
      if (attempt === warnAt) log.warn('read_retry', reason, fields);
      else log.debug('read_retry', reason, fields);
    }
  }
}
