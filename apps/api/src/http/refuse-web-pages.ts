import { AoscError, shorten } from '@aosc/contract';
import type { Budget } from '@aosc/queue';
import type { Request, RequestHandler } from 'express';
import { addressOf, pay } from '../limits/limits';
import type { AllowedHosts } from './allowed-hosts';

/**
 * Refuses requests that a page of another site makes a browser send; goes before every route. Without this, any page
 * that an operator opens could cancel a migration: on the operator's own machine without authentication, elsewhere with
 * the credentials that the browser remembers.
 * @param hosts recognises a page whose own name was made to point here (DNS rebinding), because it asks for the API by
 * that name
 * @param budget pays for refusals, by address
 */
export function refuseForeignPages(hosts: AllowedHosts, budget: Budget): RequestHandler {
  return async (request, response, next) => {
    const refusal = refusalOf(request, hosts);
    if (refusal !== undefined) {
      await pay(budget, addressOf(request), 1, response);
      throw refusal;
    }
    next();
  };
}

function refusalOf(request: Request, hosts: AllowedHosts): AoscError | undefined {
  if (isFromForeignPage(request)) {
    return new AoscError('forbidden', 'Requests from pages of other sites are refused');
  }
  const { host } = request.headers;
  // Node shows the first header, and a proxy before the API may have judged the second.
  if (request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
    return new AoscError('illegal_argument', 'A request names one Host');
  }
  if (hosts.allows(host)) return undefined;
  return new AoscError(
    'forbidden',
    `This API does not answer to the host [${shorten(host ?? '')}]: ${hosts.advice}`,
  );
}

function isFromForeignPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') return true;
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
