import { AoscError } from '@aosc/contract';
import type { Request, RequestHandler, Response } from 'express';
import { principalOf } from '../auth/request-notes';
import { clientOf } from './client-address';
import { createTokenBuckets, type TokenBuckets } from './token-buckets';
import { turnAway } from './turn-away';

/** Callers that are told apart. An entry is some hundred bytes. */
const maxKeys = 10_000;
/** A bucket holds what may be sent in this time: a page that opens asks for several things at once. */
const burstSeconds = 2;
/** What a wrong password or key costs on top: guessing is slowed down more than asking. */
const costOfWrongCredentials = 10;
/** A request needs a token before it can make debts, so that only checks that run at once add up. */
const maxDebt = 4 * costOfWrongCredentials;

export interface RateLimits {
  /** goes before authentication */
  readonly byAddress: RequestHandler;
  /** goes after it */
  readonly byCredential: RequestHandler;
  /**
   * Charges the caller's address for wrong credentials, before they are checked: what is charged afterwards comes too
   * late for all that was sent meanwhile.
   * @returns gives it back, when they were right
   */
  readonly chargeLogin: ChargeLogin;
}

export type ChargeLogin = (request: Request) => () => void;

/**
 * Limits the requests of each client address and of each credential.
 * @param perSecond 0: no limit
 * @param now milliseconds that never go back
 * @param onTurnedAway a request of an address was: too often for a line of the log each
 */
export function limitRate(
  perSecond: number,
  now: () => number,
  onTurnedAway: () => void = () => undefined,
): RateLimits {
  if (perSecond === 0) return { byAddress: pass, byCredential: pass, chargeLogin: () => () => undefined };
  const options = { perSecond, burst: Math.max(1, perSecond * burstSeconds), maxDebt, maxKeys, now };
  const addresses = createTokenBuckets(options);
  const credentials = createTokenBuckets(options);
  return {
    byAddress: (request, response, next) => {
      const waitMillis = addresses.take(addressOf(request));
      if (waitMillis === 0) {
        next();
        return;
      }
      onTurnedAway();
      const seconds = secondsOf(waitMillis);
      turnAway(response, seconds, tooMany(seconds));
    },
    byCredential: (request, response, next) => {
      const principal = principalOf(request);
      if (principal !== undefined) takeToken(credentials, `${principal.kind} ${principal.name}`, response);
      next();
    },
    chargeLogin: (request) => {
      const address = addressOf(request);
      addresses.charge(address, costOfWrongCredentials);
      return () => addresses.refund(address, costOfWrongCredentials);
    },
  };
}

const pass: RequestHandler = (_request, _response, next) => next();

function takeToken(buckets: TokenBuckets, key: string, response: Response): void {
  const waitMillis = buckets.take(key);
  if (waitMillis === 0) return;
  const seconds = secondsOf(waitMillis);
  response.setHeader('retry-after', String(seconds));
  throw new AoscError('rate_limited', tooMany(seconds));
}

const secondsOf = (waitMillis: number): number => Math.max(1, Math.ceil(waitMillis / 1000));
const tooMany = (seconds: number): string => `Too many requests; try again in ${seconds} s`;

/** The party that is counted: the connection's address, or of IPv6 its network. */
export function addressOf({ socket }: Request): string {
  return clientOf(socket.remoteAddress ?? 'unknown');
}
