import { MigrationEndedError, MigrationReplacedError, WaitTimeoutError } from './errors.ts';
import type { Schemas } from './generated/types.ts';
import type { CallOptions } from './options.ts';
import { isPassing } from './retry.ts';
import { reasonOf, sleep, startTimer } from './sleep.ts';

type MigrationStatus = Schemas['MigrationStatus'];
export type MigrationPhase = Schemas['MigrationPhase'];

/** Phases that a migration never leaves. */
export const terminalPhases = [
  'COMPLETED',
  'CANCELLED',
  'FAILED',
] as const satisfies readonly MigrationPhase[];

/** Whether a migration in this phase has ended. */
export function isTerminal(phase: MigrationPhase): boolean {
  return (terminalPhases as readonly MigrationPhase[]).includes(phase);
}

export interface PollOptions extends CallOptions {
  /** between two looks; default 1,000, at least 100 */
  readonly intervalMs?: number;
  /** how long in a row the API may be away; default 120,000 */
  readonly patienceMs?: number;
  /** receives each trouble that is waited out */
  readonly onTrouble?: (error: unknown) => void;
}

export interface WatchOptions extends PollOptions {
  /** that of the start: another migration of the same source is an error from the first look on */
  readonly migrationId?: string;
  /** the API has answered that the status is the one before */
  readonly onUnchanged?: () => void;
}

export interface WaitOptions extends WatchOptions {
  /** default: none */
  readonly timeoutMs?: number;
  /** receives each status, the last one included */
  readonly onStatus?: (status: MigrationStatus) => void;
}

/** What a wait waits for; `terminal`: each phase in which a migration ends. */
export type Wanted = MigrationPhase | readonly MigrationPhase[] | 'terminal';

/** What a watch asks again and again. */
export type StatusReader = (
  etag: string | undefined,
  signal: AbortSignal | undefined,
) => Promise<{ readonly body: MigrationStatus | undefined; readonly etag: string | undefined }>;

const leastIntervalMs = 100;

/**
 * Asks again and again, and waits out trouble that passes.
 * @throws trouble that does not pass, or the signal's reason
 */
export async function* poll<T>(
  ask: () => Promise<T>,
  { signal, intervalMs = 1_000, patienceMs = 120_000, onTrouble }: PollOptions = {},
): AsyncGenerator<T, never, undefined> {
  let lastAnswer = performance.now();
  for (;;) {
    if (signal?.aborted === true) throw reasonOf(signal);
    try {
      const answer = await ask();
      lastAnswer = performance.now();
      yield answer;
    } catch (error) {
      if (!isPassing(error) || performance.now() - lastAnswer > patienceMs) throw error;
      onTrouble?.(error);
    }
    await sleep(Math.max(leastIntervalMs, intervalMs), signal);
  }
}

/**
 * The statuses of one migration, each when it differs from the one before, until the migration has ended. They come
 * from repeated requests now; callers would not notice if they came from a stream of events.
 * @throws MigrationReplacedError, trouble that does not pass, or the signal's reason
 */
export async function* watchStatus(
  read: StatusReader,
  options: WatchOptions = {},
): AsyncGenerator<MigrationStatus, void, undefined> {
  let { migrationId } = options;
  let etag: string | undefined;
  for await (const answer of poll(() => read(etag, options.signal), options)) {
    etag = answer.etag;
    if (answer.body === undefined) {
      options.onUnchanged?.();
      continue;
    }
    const { migration_id: id, phase } = answer.body;
    migrationId ??= id;
    if (id !== migrationId) throw new MigrationReplacedError(migrationId, id);
    yield answer.body;
    if (isTerminal(phase)) return;
  }
}

/**
 * Waits until a migration is, or was, in one of some phases, or has ended.
 * @throws MigrationEndedError when it ends without that, WaitTimeoutError, and what {@link watchStatus} throws
 */
export async function waitForPhase(
  read: StatusReader,
  wanted: Wanted,
  options: WaitOptions = {},
): Promise<MigrationStatus> {
  const phases = typeof wanted === 'string' ? (wanted === 'terminal' ? terminalPhases : [wanted]) : wanted;
  const words = wanted === 'terminal' ? 'the end' : phases.join(' or ');
  const { timeoutMs, signal, onStatus } = options;
  const ending = new AbortController();
  const timer =
    timeoutMs === undefined
      ? undefined
      : startTimer(() => ending.abort(new WaitTimeoutError(timeoutMs, words, last)), timeoutMs);
  const onAbort = (): void => ending.abort(reasonOf(signal));
  let last: MigrationStatus | undefined;
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    for await (const status of watchStatus(read, { ...options, signal: ending.signal })) {
      last = status;
      onStatus?.(status);
      if (hasReached(status, phases)) return status;
      if (isTerminal(status.phase)) throw new MigrationEndedError(status, words);
    }
    throw new Error('a watch has ended before its migration');
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** A phase that is over at the time of the look counts: the history has it. */
function hasReached(
  { phase, transition_history: history }: MigrationStatus,
  phases: readonly MigrationPhase[],
): boolean {
  return phases.includes(phase) || history.some((entry) => phases.includes(entry.phase));
}
