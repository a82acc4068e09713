import { installationRenewMs } from '@aosc/domain';
import type { Call, Clock } from '@aosc/engine';
import { onAbort, timeLimit } from '@aosc/signals';
import type { Logger } from '@aosc/telemetry';
import { logSeldom } from '../log-seldom';
import { Installation, type InstallationOptions, type Look } from './installation';

/** The interval of looks until it is clear whether this process may work. */
const unsettledPollMs = 250;
const limitMs = 5_000;

/**
 * This process has the address of a cluster or Redis that belongs to another installation. The message says what to do.
 */
class InstallationRefusedError extends Error {
  override readonly name = 'InstallationRefusedError';
}

export type InstallationState =
  | { readonly type: 'ours' }
  /** not known yet, or not at the moment; running work may go on, new work waits */
  | { readonly type: 'unsettled'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string };

/** Looks at the installation now and every few seconds, claims what is free, and renews what is ours. */
export function watchInstallation(
  options: Omit<InstallationOptions, 'claims' | 'clock'> & { readonly clock: Clock },
  logger: Logger,
  signal: AbortSignal,
) {
  const installation = new Installation({ ...options, claims: true });
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  const listeners = new Set<() => void>();
  let state: InstallationState = { type: 'unsettled', reason: 'not looked at yet' };
  let isRightCluster = false;

  const complain = logWhatIsWaitedFor(logger, options.clock);

  const apply = (next: InstallationState): void => {
    const before = state;
    state = next;
    if (before.type === next.type) return;
    if (next.type === 'refused') logger.error(next.reason, { event: 'installation_refused' });
    else if (next.type === 'ours')
      logger.info('the installation is ours', { event: 'installation_confirmed', ...installation.names });
    else logger.warn(next.reason, { event: 'installation_unsettled' });
  };

  const look = async (): Promise<void> => {
    const bounded = timeLimit(limitMs, ending);
    const call: Call = { signal: bounded, timeoutMs: limitMs, opaqueId: 'aosc-installation' };
    try {
      const seen = await installation.look(call);
      isRightCluster = seen.type === 'redis_away' || !isWrongCluster(seen);
      apply(next(seen, state));
    } catch (error) {
      // Servers that are away prove nothing: the known state stays.
      if (ending.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      if (state.type !== 'unsettled') logger.debug('the installation could not be looked at', { error });
      else {
        state = { type: 'unsettled', reason: `not known yet: ${failure.message}` };
        complain(failure);
      }
    }
    for (const listener of listeners) listener();
  };
  const run = async (): Promise<void> => {
    while (!ending.aborted) {
      await look();
      const pauseMs = state.type === 'unsettled' ? unsettledPollMs : installationRenewMs;
      await options.clock.sleep(pauseMs, ending).catch(() => undefined);
    }
  };
  void run();

  return {
    get state(): InstallationState {
      return state;
    },
    /** The records of `.aosc-migrations` are this cluster's. Needs no Redis. */
    get isRightCluster(): boolean {
      return isRightCluster;
    },
    /** Called after every look. */
    onLook: (listener: () => void): void => void listeners.add(listener),
    /** Waits until this process may work. @throws InstallationRefusedError, or the signal's reason */
    untilOurs: () =>
      new Promise<void>((resolve, reject) => {
        const check = (): void => {
          if (state.type === 'unsettled' && !ending.aborted) return;
          forget();
          listeners.delete(check);
          if (state.type === 'ours') resolve();
          else if (state.type === 'refused') reject(new InstallationRefusedError(state.reason));
          else reject(new Error('the process is shutting down'));
        };
        const forget = onAbort(ending, check);
        listeners.add(check);
        check();
      }),
    stop: () => stopping.abort(new Error('stopped')),
  };
}
export type InstallationWatch = ReturnType<typeof watchInstallation>;

/** Until the names are read and renewed a process takes no work: an operator sees in the log what it waits for. */
function logWhatIsWaitedFor(logger: Logger, clock: Pick<Clock, 'monotonic'>): (error: Error) => void {
  return logSeldom(
    ({ message }, silent) =>
      logger.warn(`waiting until the names of the installation can be read and renewed: ${message}`, {
        event: 'installation_unsettled',
        ...(silent > 0 && { silent }),
      }),
    () => clock.monotonic(),
  );
}

function isWrongCluster(seen: Look): boolean {
  return seen.type === 'judged' && seen.verdict.type === 'refused' && seen.verdict.fault === 'cluster';
}

/** One doubtful look takes nothing from a process that works, and gives nothing to a process that was refused. */
function next(seen: Look, before: InstallationState): InstallationState {
  if (seen.type === 'redis_away') {
    if (before.type !== 'unsettled') return before;
    return { type: 'unsettled', reason: 'not known yet: Redis does not answer' };
  }
  const { verdict } = seen;
  if (verdict.type === 'refused') return { type: 'refused', reason: verdict.reason };
  if (verdict.type === 'ours') return { type: 'ours' };
  if (before.type !== 'unsettled') return before;
  const reason = verdict.type === 'wait' ? verdict.reason : 'its names are being written';
  return { type: 'unsettled', reason };
}
