import { AoscError } from '@aosc/contract';
import type { RequestHandler } from 'express';
import { addressOf, type ChargeLogin } from '../limits/limit-rate';
import { turnAway } from '../limits/turn-away';
import type { Authenticator } from './authenticator';
import { hasRole } from './principal';
import { noteForAudit, setPrincipal } from './request-notes';
import { accessOf } from './routes';

const challenges = ['Basic realm="aosc", charset="UTF-8"', 'ApiKey realm="aosc"'];

/**
 * Lets in who has the role that the route needs (`routes.ts`). Open routes need no credentials; wrong ones are
 * refused there, too.
 * @param chargeLogin what wrong or missing credentials cost the address; charged before a check that takes long
 * @throws AoscError unauthenticated, forbidden
 */
export function requireRole(authenticate: Authenticator, chargeLogin: ChargeLogin): RequestHandler {
  /** Checks that a request waits for already. */
  const charged = new WeakSet<Promise<unknown>>();
  return async (request, response, next) => {
    const { role } = accessOf(request.method, request.path);
    const { authorization } = request.headers;
    if (authorization === undefined) {
      if (role === 'open') {
        next();
        return;
      }
      chargeLogin(request);
      response.setHeader('www-authenticate', challenges);
      throw new AoscError(
        'unauthenticated',
        'missing credentials: send the header Authorization: ApiKey <key>, or Basic credentials',
      );
    }
    const refund = chargeLogin(request);
    const answer = authenticate(authorization, addressOf(request));
    // A client whose requests all wait for the check of its right password shall not run out of tokens meanwhile.
    const isShared = answer instanceof Promise && charged.has(answer);
    if (isShared) refund();
    else if (answer instanceof Promise) charged.add(answer);
    // A caller that is known without a wait gets its tokens back before the next request is looked at.
    const verdict = answer instanceof Promise ? await answer : answer;
    if (isShared && verdict.type !== 'known') chargeLogin(request);
    // A login that found no place costs as much as a wrong one: only a flood brings many of them, and each is an answer.
    if (verdict.type === 'known' && !isShared) refund();
    if (verdict.type === 'busy') {
      turnAway(response, 1, 'Too many logins at the same moment; try again');
      return;
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
