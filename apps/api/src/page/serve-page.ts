import type { Budget } from '@aosc/queue';
import type { Request, RequestHandler, Response } from 'express';
import type { AllowedHosts } from '../http/allowed-hosts';
import { addressOf, pay } from '../limits/limits';
import type { PageFile, PageFiles } from './page-files';

/** The page and its files come from this server, and the page asks no other. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Paths of the page's own views. */
const views =
  /^\/(?:(?:start|settings|state|sign-in)\/?|migrations(?:\/[^/]+){1,2}\/?|migrations\/[^/]+\/[^/]+\/report\/?)?$/;

/**
 * Serves the page to browsers only: a client that does not ask for HTML is answered as if there were no page. It goes
 * before authentication, because the page is where people sign in, and before the rule against pages of other sites,
 * because a link to it may stand anywhere. That is safe: the page holds no data, can't be framed, and its own requests
 * are judged like any other.
 * @param files undefined: the page was not built
 * @param addresses the budget that pays for requests of files
 */
export function servePage(
  files: PageFiles | undefined,
  hosts: AllowedHosts,
  addresses: Budget,
): RequestHandler {
  return async (request, response, next) => {
    const file = files && findFile(files, request);
    if (file === undefined || !hosts.allows(request.headers.host)) {
      next();
      return;
    }
    await pay(addresses, addressOf(request), 1, response);
    send(file, request, response);
  };
}

function findFile({ index, assets }: PageFiles, request: Request): PageFile | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const { path } = request;
  const asset = assets.get(path.endsWith('/') ? `${path}index.html` : path);
  if (asset !== undefined) return asset;
  return views.test(path) && wantsHtml(request) ? index : undefined;
}

/** Only a client that names HTML gets a page: clients that take anything (curl, probes) have no use for it. */
function wantsHtml({ headers }: Request): boolean {
  return headers.accept?.toLowerCase().includes('text/html') === true;
}

/** Express compares the tag, and answers HEAD without a body. */
function send(file: PageFile, request: Request, response: Response): void {
  response.setHeader('content-security-policy', pagePolicy);
  response.setHeader('vary', 'accept, accept-encoding');
  response.setHeader('etag', file.etag);
  response.setHeader('cache-control', file.isFixed ? 'public, max-age=31536000, immutable' : 'no-cache');
  const isCompressed = request.headers['accept-encoding']?.includes('gzip') === true;
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  response.type(file.extension).send(isCompressed ? file.compressed() : file.bytes);
}
