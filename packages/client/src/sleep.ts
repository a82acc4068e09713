/** Timers take no more: a longer time would be over at once. */
const mostTimerMs = 2 ** 31 - 1;

/** A timer; of more than 24 days it makes these 24 days. */
export const startTimer = (run: () => void, ms: number) => setTimeout(run, Math.min(ms, mostTimerMs));

/** Waits. @throws the signal's reason when it fires */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = startTimer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A reason may be any value; what is thrown is an Error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
