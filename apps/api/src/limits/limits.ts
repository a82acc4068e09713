import { AoscError } from '@aosc/contract';
import type { Budget, Budgets, Marks } from '@aosc/queue';
import type { Response } from 'express';
import { ipNetwork } from './ip-network';

/** A budget covers this much time: a page that opens asks for several things at once. */
const windowSeconds = 2;
/** Points that wrong or missing credentials use up, so guessing is slowed down more than asking. */
const costOfFailure = 11;
const hourSeconds = 3_600;
/** What a credential with `index_patterns` may do within an hour. */
const hourly = {
  targets: {
    points: 20,
    used: 'created 20 targets within an hour, and each takes shards of the cluster',
  },
  starts: {
    points: 30,
    used: 'started 30 migrations within an hour, and the record of each stays in the cluster',
  },
};

/** What callers may use up, counted across all processes of the API. */
export interface Limits {
  /** requests of an address with missing or wrong credentials, or with a password still to be checked */
  readonly addresses: Budget;
  /** points that an address loses for wrong or missing credentials, and for a password before its first success */
  readonly costOfFailure: number;
  /** requests of a credential, whose check costs next to nothing */
  readonly credentials: Budget;
  /** targets that a credential with `index_patterns` creates: each takes shards of the cluster */
  readonly targets: Budget;
  /** migrations that it starts: the record of each stays in the cluster */
  readonly starts: Budget;
  /** sessions that users have signed out of */
  readonly endedSessions: Marks;
}

const boundless: Budget = { take: () => Promise.resolve(0), giveBack: () => Promise.resolve() };

/** @param perSecond requests of an address, and of a credential; 0: no limit */
export function createLimits(budgets: Pick<Budgets, 'budget' | 'marks'>, perSecond: number): Limits {
  const ofRequests = (name: string): Budget =>
    perSecond === 0
      ? boundless
      : budgets.budget({ name, points: perSecond * windowSeconds, seconds: windowSeconds });
  const ofHour = (name: keyof typeof hourly): Budget =>
    budgets.budget({ name, points: hourly[name].points, seconds: hourSeconds });
  return {
    addresses: ofRequests('addresses'),
    costOfFailure: Math.min(costOfFailure, Math.max(1, perSecond * windowSeconds)),
    credentials: ofRequests('credentials'),
    targets: ofHour('targets'),
    starts: ofHour('starts'),
    endedSessions: budgets.marks('ended-sessions'),
  };
}

/** @throws AoscError rate_limited, with `Retry-After` */
export async function pay(budget: Budget, key: string, points: number, response: Response): Promise<void> {
  const seconds = await budget.take(key, points);
  if (seconds === 0) return;
  response.setHeader('retry-after', String(seconds));
  throw new AoscError('rate_limited', `Too many requests; try again in ${seconds} s`);
}

/**
 * The address that pays for a request without credentials. @param ip as Express reports it, behind trusted proxies the
 * client's
 */
export function addressOf({ ip }: { readonly ip?: string | undefined }): string {
  return ipNetwork(ip ?? 'unknown');
}

/** @throws AoscError rate_limited to a credential that has used up its hourly allowance */
export async function payHourly(
  limits: Pick<Limits, keyof typeof hourly>,
  name: keyof typeof hourly,
  caller: string,
): Promise<void> {
  const seconds = await limits[name].take(caller);
  if (seconds === 0) return;
  throw new AoscError('rate_limited', `[${caller}] has ${hourly[name].used}; try again in ${seconds} s`);
}
