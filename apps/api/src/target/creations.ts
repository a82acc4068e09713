import { AoscError } from '@aosc/contract';
import { createTokenBuckets } from '../limits/token-buckets';

const perHour = 20;
/** Credentials that are told apart; the files of most installations name a handful. */
const maxCredentials = 1_000;

/** Bounds how many targets a credential creates: each takes a part of the shards that the cluster allows in all. */
export interface Creations {
  /** @throws AoscError rate_limited */
  take(caller: string): void;
}

/** @param now milliseconds that never go back */
export function createCreations(now: () => number): Creations {
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
        `[${caller}] has created ${perHour} targets within an hour, and each takes shards of the cluster; the next one ` +
          `may be created in ${Math.ceil(waitMillis / 1_000)} s`,
      );
    },
  };
}
