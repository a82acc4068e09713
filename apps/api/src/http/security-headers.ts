import type { RequestHandler } from 'express';
import helmet from 'helmet';

const yearSeconds = 365 * 24 * 3_600;

/**
 * Answers are data for programs: a browser shall not guess their type, keep, frame or run them. Set before anything else
 * answers; a route that serves a page sets its own policy over them.
 * @param isBehindTls browsers come by HTTPS, which a proxy ends: they shall come by nothing else (HSTS). With a
 *   certificate of its own the API does not say so: its port is one of several of a name
 */
export function setSecurityHeaders(isBehindTls: boolean): readonly RequestHandler[] {
  const none = ["'none'"];
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: none, frameAncestors: none, baseUri: none, formAction: none },
      },
      frameguard: { action: 'deny' },
      hsts: isBehindTls && { maxAge: yearSeconds, includeSubDomains: false },
    }),
    (_request, response, next) => {
      response.setHeader('cache-control', 'no-store');
      next();
    },
  ];
}
