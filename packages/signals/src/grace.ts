import { onAbort } from './on-abort';

/** A signal that outlives another one. */
export interface Grace {
  /** aborted `ms` milliseconds after the other one, for its reason */
  readonly signal: AbortSignal;
  /** Detaches from the other signal: the caller must call it when the work is over. */
  end(): void;
}

/**
 * For a request whose answer is worth a short wait after its caller has gone, because the answer names something that
 * must be released. The timer keeps no process alive.
 * @param ms how long the work may go on after `signal` was aborted
 */
export function graceAfter(signal: AbortSignal, ms: number): Grace {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => controller.abort(signal.reason), ms);
    timer.unref();
  };
  if (signal.aborted) begin();
  const forget = onAbort(signal, begin);
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      forget();
    },
  };
}
