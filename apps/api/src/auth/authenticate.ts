import { AoscError } from '@aosc/contract';
import type { RequestHandler } from 'express';
import type { Authenticator } from './authenticator';
import { hasRole } from './principal';
import { noteForAudit, setPrincipal } from './request-notes';
import { accessOf } from './routes';

const challenges = ['Basic realm="aosc", charset="UTF-8"', 'ApiKey realm="aosc"'];

/**
 * Lets in who has the role that the route needs (`routes.ts`). Open routes need no credentials; wrong ones are
 * refused there, too.
 * @throws AoscError unauthenticated, forbidden, rate_limited
 */
export function requireRole(authenticate: Authenticator): RequestHandler {
  return async (request, response, next) => {
    const { role } = accessOf(request.method, request.path);
    const { authorization } = request.headers;
    if (authorization === undefined) {
      if (role === 'open') {
        next();
        return;
      }
      response.setHeader('www-authenticate', challenges);
      throw new AoscError(
        'unauthenticated',
        'missing credentials: send the header Authorization: ApiKey <key>, or Basic credentials',
      );
    }
    const verdict = await authenticate(authorization);
    if (verdict.type === 'busy') {
      response.setHeader('retry-after', '1');
      throw new AoscError('rate_limited', 'Too many logins at the same moment; try again');
    }
    if (verdict.type === 'refused') {
      if (verdict.name !== undefined) noteForAudit(request, { who: verdict.name });
      response.setHeader('www-authenticate', challenges);
      throw new AoscError('unauthenticated', 'wrong credentials');
    }
    const { principal } = verdict;
    setPrincipal(request, principal);
    if (role !== 'open' && !hasRole(principal, role)) {
      throw new AoscError(
        'forbidden',
        `[${principal.name}] has the roles [${principal.roles.join(', ')}]; this request needs [${role}]`,
      );
    }
    next();
  };
}
