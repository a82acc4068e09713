import type { Call } from '../ports/call';
import { isClusterError } from '../ports/cluster-error';
import type { ShardContext } from './context';
import type { Pauses } from './pauses';

const basePauseMs = 250;
const maxPauseMs = 15_000;
/** 250 ms doubling to 15 s: about seven minutes of trying before the job gives up and is queued again. */
const maxAttempts = 32;
/** After about eight seconds it is no hiccup: somebody may have to act, and the message says on what. */
const warnAt = 6;

interface Retrying {
  readonly context: Pick<ShardContext, 'clock' | 'log'>;
  readonly pauses: Pauses;
  readonly signal: AbortSignal;
}

/**
 * Repeats a call that is harmless to repeat while the cluster is overloaded or out of reach.
 * Pauses double from 250 ms to 15 s with up to a quarter of jitter. Errors of other kinds go to the caller at once.
 */
export async function retryingReads<T>(session: Retrying, read: (call: Call) => Promise<T>): Promise<T> {
  const { clock, log } = session.context;
  for (let attempt = 1; ; attempt++) {
    try {
      return await read({ signal: session.signal });
    } catch (error) {
      if (!isClusterError(error, 'overload', 'transient') || attempt >= maxAttempts) throw error;
      session.signal.throwIfAborted();
      const pauseMs = Math.min(basePauseMs * 2 ** (attempt - 1), maxPauseMs) * (1 + clock.random() / 4);
      const fields = { attempt, pauseMs: Math.round(pauseMs) };
      if (attempt === warnAt) log.warn('read_retry', error.message, fields);
      else log.debug('read_retry', error.message, fields);
      session.pauses.begin('read', pauseMs, error.message);
      await clock.sleep(pauseMs, session.signal);
    }
  }
}
