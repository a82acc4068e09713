import { isLoopback } from '@aosc/config';
import { AoscError } from '@aosc/contract';
import type { Request, RequestHandler } from 'express';

/**
 * Refuses requests that a page of another site makes a browser send. Without this, any page that an operator opens
 * could cancel a migration: on the operator's own machine without authentication, elsewhere with the credentials that
 * the browser remembers.
 * @param loopbackOnly the API has no authentication and is reached by a loopback name alone: a page whose own name was
 *   made to point here (DNS rebinding) is told by the host it asks for. With authentication, such a page has no
 *   credentials: browsers keep them by name
 */
export function refuseForeignPages(loopbackOnly: boolean): RequestHandler {
  return (request, _response, next) => {
    if (isFromForeignPage(request)) {
      throw new AoscError('forbidden', 'Requests from pages of other sites are refused');
    }
    const host = nameOf(request.headers.host);
    if (loopbackOnly && (host === undefined || !isLoopback(host))) {
      throw new AoscError('forbidden', 'This API answers to its loopback address alone: ask for 127.0.0.1');
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

/** The host without port and brackets. */
function nameOf(host: string | undefined): string | undefined {
  const url = `http://${host ?? ''}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
}
