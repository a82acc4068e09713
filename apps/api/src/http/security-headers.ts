import type { RequestHandler } from 'express';
import helmet from 'helmet';

const yearSeconds = 365 * 24 * 3_600;

/**
 * Answers are data for programs: a browser shall not guess their type, keep, frame or run them. Set before anything
 * else answers; a route that serves a page replaces the policy with its own.
 * @param isBehindTls browsers come by HTTPS, which a proxy ends: HSTS then forbids them plain HTTP. With a certificate
 * of its own the API sends no HSTS, which would bind all other ports of its name too
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
