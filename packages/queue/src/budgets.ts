import { once } from 'node:events';
import type { RedisAccess } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createConnection } from './connection';
import { budgetKey, rootPrefix } from './queue-names';

/** Points that a caller may use up within a time. All processes of an installation share them. */
export interface Budget {
  /** @returns 0 when there were enough points; otherwise the seconds until the time starts again, without using any */
  take(key: string, points?: number): Promise<number>;
  giveBack(key: string, points: number): Promise<void>;
}

/** What all processes of an installation know for a limited time. */
export interface Marks {
  set(key: string, seconds: number): Promise<void>;
  /** @returns undefined when it is unknown because Redis is away */
  has(key: string): Promise<boolean | undefined>;
}

/** While Redis is away, each process counts for itself. */
export interface Budgets {
  budget(options: { readonly name: string; readonly points: number; readonly seconds: number }): Budget;
  marks(name: string): Marks;
  close(): void;
}

/** After a failure this asks no Redis for so long: a request must not wait for a silent server. */
const awayMs = 2_000;
/** How long a new process waits for its connection before it calls a mark unknown. */
const connectMs = 2_000;
const maxUnsent = 10_000;

/** @param onAway Redis does not answer; called once until it does */
export function createBudgets(
  options: RedisAccess & { readonly prefix: string },
  onAway: (error: Error) => void,
  now: () => number = () => performance.now(),
): Budgets {
  const connection = createConnection(options, 'hasty', () => undefined);
  const root = rootPrefix(options, options.prefix);
  let askAgainAt = -Infinity;
  let isAway = false;
  connection.on('ready', () => (askAgainAt = -Infinity));
  const opened = once(connection, 'ready', { signal: timeLimit(connectMs) }).catch(() => undefined);

  /** @returns undefined: Redis is away */
  async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (now() < askAgainAt) return undefined;
    try {
      const answer = await question();
      isAway = false;
      return answer;
    } catch (error) {
      askAgainAt = now() + awayMs;
      if (!isAway) onAway(error instanceof Error ? error : new Error(String(error)));
      isAway = true;
      return undefined;
    }
  }

  return {
    budget({ name, points, seconds }) {
      const limits = { keyPrefix: budgetKey(root, name), points, duration: seconds };
      const alone = new RateLimiterMemory(limits);
      // Until the time is over, this process refuses a refused caller without asking Redis.
      const shared = new RateLimiterRedis({
        ...limits,
        storeClient: connection,
        inMemoryBlockOnConsumed: points + 1,
      });
      return {
        take: async (key, wanted = 1) =>
          (await ask(() => secondsUntil(shared.consume(key, wanted)))) ??
          secondsUntil(alone.consume(key, wanted)),
        async giveBack(key, given) {
          await ((await ask(() => shared.reward(key, given))) ?? alone.reward(key, given));
        },
      };
    },
    marks(name) {
      const keyPrefix = budgetKey(root, name);
      const own = new RateLimiterMemory({ keyPrefix, points: 0, duration: 0 });
      /** Marks that were set while Redis was away, with the time they end. */
      const unsent = new Map<string, number>();
      const send = async (key: string, untilMs: number): Promise<void> => {
        const seconds = Math.max(1, Math.ceil((untilMs - now()) / 1_000));
        unsent.delete(key);
        const answer = await ask(() => connection.set(`${keyPrefix}:${key}`, '1', 'EX', seconds));
        if (answer === undefined) unsent.set(key, untilMs);
        for (const oldest of unsent.keys()) if (unsent.size > maxUnsent) unsent.delete(oldest);
      };
      connection.on('ready', () => {
        for (const [key, untilMs] of [...unsent]) void send(key, untilMs);
      });
      return {
        async set(key, seconds) {
          await own.block(key, seconds);
          await send(key, now() + seconds * 1_000);
        },
        async has(key) {
          if ((await own.get(key)) !== null) return true;
          await opened;
          return ask(async () => (await connection.exists(`${keyPrefix}:${key}`)) === 1);
        },
      };
    },
    close: () => connection.disconnect(),
  };
}

async function secondsUntil(consumed: Promise<RateLimiterRes>): Promise<number> {
  try {
    await consumed;
    return 0;
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    return Math.max(1, Math.ceil(refused.msBeforeNext / 1_000));
  }
}
