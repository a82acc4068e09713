import { AoscError, shorten } from '@aosc/contract';
import type { Request, RequestHandler } from 'express';
import type { AllowedHosts } from './allowed-hosts';

/**
 * Refuses requests that a page of another site makes a browser send; goes before every route. Without this, any page
 * that an operator opens could cancel a migration: on the operator's own machine without authentication, elsewhere with
 * the credentials that the browser remembers.
 * @param hosts recognises a page whose own name was made to point here (DNS rebinding), because it asks for the API by
 * that name
 */
export function refuseForeignPages(hosts: AllowedHosts): RequestHandler {
  return (request, _response, next) => {
    if (isFromForeignPage(request)) {
      throw new AoscError('forbidden', 'Requests from pages of other sites are refused');
    }
    const { host } = request.headers;
    // Node shows the first header, and a proxy before the API may have judged the second.
    if (request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
      throw new AoscError('illegal_argument', 'A request names one Host');
    }
    if (!hosts.allows(host)) {
      throw new AoscError(
        'forbidden',
        `This API does not answer to the host [${shorten(host ?? '')}]: ${hosts.advice}`,
      );
    }
    next();
  };
}

function isFromForeignPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') return true;
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
