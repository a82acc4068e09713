import { AoscError } from '@aosc/contract';
import { createTokenBuckets } from './token-buckets';

/** Credentials that are told apart; the files of most installations name a handful. */
const maxCredentials = 1_000;

/** Bounds how often a credential does something that leaves a trace in the cluster. */
interface HourlyBound {
  /** @throws AoscError rate_limited */
  take(caller: string): void;
}

/**
 * @param perHour also how many at once
 * @param what it has done, and why that is bounded
 * @param now milliseconds that never go back
 */
function createHourlyBound(
  perHour: number,
  what: { readonly done: string; readonly because: string },
  now: () => number,
): HourlyBound {
  const buckets = createTokenBuckets({
    perSecond: perHour / 3_600,
    burst: perHour,
    maxDebt: 0,
    maxKeys: maxCredentials,
    now,
  });
  return {
    take(caller) {
      const waitMillis = buckets.take(caller);
      if (waitMillis === 0) return;
      throw new AoscError(
        'rate_limited',
        `[${caller}] has ${what.done} ${perHour} times within an hour, and ${what.because}; ` +
          `try again in ${Math.ceil(waitMillis / 1_000)} s`,
      );
    },
  };
}

/** Of limited credentials; one for the process. */
export interface LimitedUse {
  readonly targets: HourlyBound;
  readonly starts: HourlyBound;
}

/** @param now milliseconds that never go back */
export function createLimitedUse(now: () => number): LimitedUse {
  return {
    targets: createHourlyBound(
      20,
      { done: 'created a target', because: 'each takes shards of the cluster' },
      now,
    ),
    starts: createHourlyBound(
      30,
      { done: 'started a migration', because: 'the record of each stays in the cluster' },
      now,
    ),
  };
}
