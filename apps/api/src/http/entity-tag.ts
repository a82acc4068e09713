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
  // Not `request.fresh`: it overlooks If-None-Match when the client sends `cache-control: no-cache`, as fetch does.
  if (matchesTag(request.headers['if-none-match'], etag)) {
    response.status(304).end();
    return;
  }
  response.type('application/json').send(text());
}

/** Whether an `If-None-Match` header names the tag (RFC 9110, 13.1.2: weak comparison). */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = withoutWeakness(etag);
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => withoutWeakness(tag) === opaque);
}

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '');
