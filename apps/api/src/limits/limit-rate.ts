import { AoscError } from '@aosc/contract';
import type { Request, RequestHandler, Response } from 'express';
import { principalOf } from '../auth/request-notes';
import { clientOf } from './client-address';
import { createTokenBuckets, type TokenBuckets } from './token-buckets';

/** Callers that are told apart. An entry is some hundred bytes. */
const maxKeys = 10_000;
/** A bucket holds what may be sent in this time: a page that opens asks for several things at once. */
const burstSeconds = 2;
/** What a wrong password or key costs on top: guessing is slowed down more than asking. */
const costOfWrongCredentials = 10;

export interface RateLimits {
  /** goes before authentication */
  readonly byAddress: RequestHandler;
  /** goes after it */
  readonly byCredential: RequestHandler;
}

/**
 * Limits the requests of each client address and of each credential.
 * @param perSecond 0: no limit
 * @param now milliseconds that never go back
 */
export function limitRate(perSecond: number, now: () => number): RateLimits {
  if (perSecond === 0) return { byAddress: pass, byCredential: pass };
  const options = { perSecond, burst: Math.max(1, perSecond * burstSeconds), maxKeys, now };
  const addresses = createTokenBuckets(options);
  const credentials = createTokenBuckets(options);
  return {
    byAddress: (request, response, next) => {
      const address = addressOf(request);
      takeToken(addresses, address, response);
      response.once('finish', () => {
        if (response.statusCode === 401) addresses.charge(address, costOfWrongCredentials);
      });
      next();
    },
    byCredential: (request, response, next) => {
      const principal = principalOf(request);
      if (principal !== undefined) takeToken(credentials, `${principal.kind} ${principal.name}`, response);
      next();
    },
  };
}

const pass: RequestHandler = (_request, _response, next) => next();

function takeToken(buckets: TokenBuckets, key: string, response: Response): void {
  const waitMillis = buckets.take(key);
  if (waitMillis === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMillis / 1000));
  response.setHeader('retry-after', String(seconds));
  throw new AoscError('rate_limited', `Too many requests; try again in ${seconds} s`);
}

function addressOf({ socket }: Request): string {
  return clientOf(socket.remoteAddress ?? 'unknown');
}
