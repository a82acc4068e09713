import { AoscError } from '@aosc/contract';
import type { Budget, Budgets, Marks } from '@aosc/queue';
import type { Response } from 'express';
import { ipNetwork } from './ip-network';

/** A budget holds what may be sent in this time: a page that opens asks for several things at once. */
const windowSeconds = 2;
/** Points that wrong or missing credentials use up: guessing is slowed down more than asking. */
const costOfFailure = 11;
const hourSeconds = 3_600;

/** What callers may use up, to all processes of the API together. */
export interface Limits {
  /** requests of an address that shows no credentials, wrong ones, or a password to be checked */
  readonly addresses: Budget;
  /** points that wrong or missing credentials, and a password until it was right, use up of an address's */
  readonly costOfFailure: number;
  /** requests of a credential, whose check costs next to nothing */
  readonly credentials: Budget;
  /** targets that a credential with `index_patterns` creates: each takes shards of the cluster */
  readonly targets: Budget;
  /** migrations that it starts: the record of each stays in the cluster */
  readonly starts: Budget;
  /** sessions that were signed out before their time */
  readonly endedSessions: Marks;
}

const boundless: Budget = { take: () => Promise.resolve(0), giveBack: () => Promise.resolve() };

/** @param perSecond requests of an address, and of a credential; 0: no limit */
export function createLimits(budgets: Pick<Budgets, 'budget' | 'marks'>, perSecond: number): Limits {
  const ofRequests = (name: string): Budget =>
    perSecond === 0
      ? boundless
      : budgets.budget({ name, points: perSecond * windowSeconds, seconds: windowSeconds });
  return {
    addresses: ofRequests('addresses'),
    costOfFailure: Math.min(costOfFailure, Math.max(1, perSecond * windowSeconds)),
    credentials: ofRequests('credentials'),
    targets: budgets.budget({ name: 'targets', points: 20, seconds: hourSeconds }),
    starts: budgets.budget({ name: 'starts', points: 30, seconds: hourSeconds }),
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

/** What pays for a request without credentials. @param ip as Express tells it, behind trusted proxies the client's */
export function addressOf({ ip }: { readonly ip?: string | undefined }): string {
  return ipNetwork(ip ?? 'unknown');
}

/** @throws AoscError rate_limited to a credential that has done it too often within an hour */
export async function payHourly(
  { targets, starts }: Pick<Limits, 'targets' | 'starts'>,
  what: 'targets' | 'starts',
  caller: string,
): Promise<void> {
  const seconds = await (what === 'targets' ? targets : starts).take(caller);
  if (seconds === 0) return;
  throw new AoscError(
    'rate_limited',
    what === 'targets'
      ? `[${caller}] has created 20 targets within an hour, and each takes shards of the cluster; try again in ${seconds} s`
      : `[${caller}] has started 30 migrations within an hour, and the record of each stays in the cluster; try again in ${seconds} s`,
  );
}
