import { LRUCache } from 'lru-cache';

interface Bucket {
  readonly tokens: number;
  readonly atMillis: number;
}

/** One bucket of tokens for each caller: it fills at a steady rate, and a request takes one token out. */
export interface TokenBuckets {
  /** @returns 0 when the token was there; otherwise the milliseconds until it is. Nothing is taken then */
  take(key: string): number;
  /** Takes tokens away that need not be there: the rest is a debt, `maxDebt` at the most, and must fill up first. */
  charge(key: string, tokens: number): void;
  /** Gives back what was charged. A caller who was forgotten meanwhile has a full bucket already. */
  refund(key: string, tokens: number): void;
}

export interface BucketOptions {
  readonly perSecond: number;
  /** tokens a full bucket holds */
  readonly burst: number;
  /** tokens a bucket may lack */
  readonly maxDebt: number;
  /** callers that are told apart; the one seen longest ago is forgotten, and starts with a full bucket again */
  readonly maxKeys: number;
  /** milliseconds that never go back */
  readonly now: () => number;
}

export function createTokenBuckets({ perSecond, burst, maxDebt, maxKeys, now }: BucketOptions): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });
  const tokensOf = (key: string, atMillis: number): number => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.tokens + (Math.max(0, atMillis - bucket.atMillis) / 1000) * perSecond);
  };
  return {
    take(key) {
      const atMillis = now();
      const tokens = tokensOf(key, atMillis);
      if (tokens < 1) return Math.ceil(((1 - tokens) / perSecond) * 1000);
      buckets.set(key, { tokens: tokens - 1, atMillis });
      return 0;
    },
    charge(key, charged) {
      const atMillis = now();
      buckets.set(key, { tokens: Math.max(-maxDebt, tokensOf(key, atMillis) - charged), atMillis });
    },
    refund(key, charged) {
      const atMillis = now();
      buckets.set(key, { tokens: Math.min(burst, tokensOf(key, atMillis) + charged), atMillis });
    },
  };
}
