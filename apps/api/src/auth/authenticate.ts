import { AoscError } from '@aosc/contract';
import type { Request, RequestHandler } from 'express';
import { addressOf, type ChargeLogin } from '../limits/limit-rate';
import { turnAway } from '../limits/turn-away';
import type { Authenticator } from './authenticator';
import { hasRole, type Principal } from './principal';
import { noteForAudit, setPrincipal, setSession } from './request-notes';
import { accessOf, boardPath, type RouteAccess } from './routes';
import { isEqual } from './session/session-token';
import type { Session, Sessions } from './session/sessions';

const basicChallenge = 'Basic realm="aosc", charset="UTF-8"';
const keyChallenge = 'ApiKey realm="aosc"';

/**
 * Lets in who has the role that the route needs (`routes.ts`). Open routes need no credentials; wrong ones are
 * refused there, too.
 * @param sessions undefined: nobody is signed in by a cookie
 * @param chargeLogin what wrong or missing credentials cost the address; charged before a check that takes long
 * @throws AoscError unauthenticated, forbidden
 */
export function requireRole(
  authenticate: Authenticator,
  chargeLogin: ChargeLogin,
  sessions?: Pick<Sessions, 'read'>,
): RequestHandler {
  /** Checks that a request waits for already. */
  const charged = new WeakSet<Promise<unknown>>();
  return async (request, response, next) => {
    const { role } = accessOf(request.method, request.path);
    const { authorization, cookie } = request.headers;
    const challenges = challengesFor(request);
    if (authorization === undefined) {
      const session = sessions?.read(cookie);
      if (session !== undefined) {
        requireOwnPage(request, session);
        if (session.renewal !== undefined) response.setHeader('set-cookie', session.renewal);
        setSession(request, session);
        permit(session.principal, role);
        next();
        return;
      }
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
    permit(principal, role);
    next();
  };
}

/** @throws AoscError forbidden */
function permit(principal: Principal, role: RouteAccess['role']): void {
  if (role === 'open' || hasRole(principal, role)) return;
  throw new AoscError(
    'forbidden',
    `[${principal.name}] has the roles [${principal.roles.join(', ')}]; this request needs [${role}]`,
  );
}

const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser adds the cookie to whatever it sends, so what changes something needs more: the token that only the page
 * could read. Bull Board knows of no token; of it the browser itself must say that the page is of this very origin.
 * @throws AoscError forbidden
 */
function requireOwnPage(request: Request, session: Session): void {
  if (harmless.has(request.method)) return;
  const shown = request.headers['x-aosc-csrf'];
  if (typeof shown === 'string' && isEqual(shown, session.csrfToken)) return;
  const isBoard = request.path === boardPath || request.path.startsWith(`${boardPath}/`);
  if (isBoard && request.headers['sec-fetch-site'] === 'same-origin') return;
  throw new AoscError(
    'forbidden',
    'A session needs the header x-aosc-csrf with the token that _session tells',
  );
}

/** Before a challenge for Basic, a browser asks for a password itself: the page asks in its own way. */
function challengesFor({ headers }: Request): string[] {
  const isPage = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-mode'] !== 'navigate';
  return isPage ? [keyChallenge] : [basicChallenge, keyChallenge];
}
