import { onAbort } from './on-abort';

/**
 * A signal that is aborted with a `TimeoutError` after `ms` milliseconds, or as soon as one of `others` is. It keeps no
 * process alive.
 *
 * It replaces `AbortSignal.timeout`, which lint refuses: if only `AbortSignal.any` holds such a signal, it is collected
 * as garbage before its time, and what it should end goes on for ever (https://github.com/nodejs/node/issues/57736,
 * seen with Node.js 20.20). Here the timer holds the signal.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const end = (reason: unknown): void => {
    clearTimeout(timer);
    for (const forget of forgets) forget();
    controller.abort(reason);
  };
  const follow = (): void => end(others.find(({ aborted }) => aborted)?.reason);
  const timer = setTimeout(() => end(new DOMException(`It took longer than ${ms} ms`, 'TimeoutError')), ms);
  timer.unref();
  const forgets = others.map((other) => onAbort(other, follow));
  if (others.some(({ aborted }) => aborted)) follow();
  return controller.signal;
}
