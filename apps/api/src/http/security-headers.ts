import type { RequestHandler } from 'express';

/** Answers are data for programs: a browser shall not guess their type, keep, frame or run them. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Sets the headers before anything else answers; a route that serves a page sets its own policy over them. */
export const setSecurityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  next();
};
