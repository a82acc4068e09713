import type { Request, Response } from 'express';

/** JSON with a tag that changes whenever it does. */
export interface Tagged {
  /** as the `ETag` header has it, quotes included */
  readonly etag: string;
  /** the JSON; made when it is asked for */
  readonly text: () => string;
}

/** Sends JSON, or 304 when the client has it already. */
export function sendTagged(request: Request, response: Response, { etag, text }: Tagged): void {
  response.setHeader('etag', etag);
  // The browser may store it and must revalidate before each use; caches between may not, because other users would see
  // it.
  response.setHeader('cache-control', 'private, no-cache');
  response.setHeader('vary', 'authorization, cookie');
  // fetch adds `no-cache` to an If-None-Match of the page's, and Express would then overlook the tag.
  delete request.headers['cache-control'];
  if (request.fresh) response.status(304).end();
  else response.type('application/json').send(text());
}
