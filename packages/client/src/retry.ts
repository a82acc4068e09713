import { ApiError, ConnectionError } from './errors.ts';
import type { RetryOptions } from './options.ts';

/** Statuses of something between the client and a working API. */
const passing = new Set([502, 503, 504]);
const mostAttempts = 20;

export type RetryPlan = Required<RetryOptions>;

/** @throws TypeError for numbers without sense */
export function planRetries(options: RetryOptions = {}): RetryPlan {
  const plan = { attempts: 5, baseMs: 250, maxMs: 10_000, maxRetryAfterMs: 60_000, ...options };
  if (!Number.isInteger(plan.attempts) || plan.attempts < 1 || plan.attempts > mostAttempts) {
    throw new TypeError(`retry.attempts is a whole number from 1 to ${mostAttempts}`);
  }
  for (const ms of [plan.baseMs, plan.maxMs, plan.maxRetryAfterMs]) {
    if (!(ms >= 0)) throw new TypeError('the times of retry are not negative');
  }
  return plan;
}

/**
 * How long to wait before a request is sent again; undefined: not at all.
 * The API answers 429 before it does anything, so that any request may follow. After any other failure it is unknown
 * what was done, and only a request that changes nothing is sent again.
 * @param attempt how many were sent
 * @param random from 0 up to 1
 */
export function decidePause(
  plan: RetryPlan,
  {
    error,
    attempt,
    changesNothing,
  }: { readonly error: unknown; readonly attempt: number; readonly changesNothing: boolean },
  random: number,
): number | undefined {
  if (attempt >= plan.attempts) return undefined;
  const isRefusal = error instanceof ApiError && error.status === 429;
  if (!isRefusal && !(changesNothing && isPassing(error))) return undefined;
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  if (asked > plan.maxRetryAfterMs) return undefined;
  const step = Math.min(plan.maxMs, plan.baseMs * 2 ** (attempt - 1));
  // Half of it by chance, so that clients that failed together don't come back together.
  return Math.round(asked + step * (0.5 + random / 2));
}

/** Trouble that may be over the next time: no connection, an API that can't work at the moment, too many requests. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (passing.has(error.status) || error.status === 429);
}

/** `Retry-After`, in seconds or as a date. @returns ms; undefined when there is none that can be read */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
