import { AoscError } from '@aosc/contract';
import type { Budget, Budgets } from '@aosc/queue';
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

const boundless: Budget = { take: () => Promise.resolve(0), giveBack: () => Promise.resolve() };

/** What callers may use up, counted across all processes of the API. */
export type Limits = ReturnType<typeof createLimits>;

/** @param perSecond requests of an address, and of a credential; 0: no limit */
export function createLimits(budgets: Pick<Budgets, 'budget' | 'marks'>, perSecond: number) {
  const points = perSecond * windowSeconds;
  const ofRequests = (name: string): Budget =>
    perSecond === 0 ? boundless : budgets.budget({ name, points, seconds: windowSeconds });
  const ofHour = (name: keyof typeof hourly): Budget =>
    budgets.budget({ name, points: hourly[name].points, seconds: hourSeconds });
  return {
    /** requests of an address with missing or wrong credentials, or with a password still to be checked */
    addresses: ofRequests('addresses'),
    /** requests that pages of other sites make a browser send: they must not use up what its user may send */
    foreignPages: ofRequests('foreign-pages'),
    /** points that an address loses for wrong or missing credentials, and for a password before its first success */
    costOfFailure: Math.min(costOfFailure, Math.max(1, points)),
    /** requests of a credential, whose check costs next to nothing */
    credentials: ofRequests('credentials'),
    targets: ofHour('targets'),
    starts: ofHour('starts'),
    /** sessions that users have signed out of */
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

/** The address that pays for a request without credentials: behind trusted proxies, Express reports the client's. */
export const addressOf = ({ ip }: { readonly ip?: string | undefined }): string => ipNetwork(ip ?? 'unknown');

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
