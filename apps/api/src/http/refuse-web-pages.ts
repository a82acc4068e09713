import { AoscError, shorten, allowedMethods } from '@aosc/contract';
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

/**
 * Answers requests that no endpoint has taken: OPTIONS with the methods of the path, 405 where the path has other
 * methods, 404 otherwise. The reasons are
 * OpenSearch's (`RestController`).
 */
export const refuseUnknown: RequestHandler = (request, response) => {
  const { method } = request;
  const uri = shorten(request.originalUrl);
  const allowed = allowedMethods(request.path);
  if (allowed.length === 0) {
    throw new AoscError('no_handler', `no handler found for uri [${uri}] and method [${method}]`);
  }
  response.setHeader('allow', allowed.join(', '));
  if (method === 'OPTIONS') {
    response.type('text/plain').send(allowed.join(', '));
    return;
  }
  throw new AoscError(
    'method_not_allowed',
    `Incorrect HTTP method for uri [${uri}] and method [${method}], allowed: [${allowed.join(', ')}]`,
  );
};
