import { AoscError } from '@aosc/contract';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiDependencies } from '../dependencies';
import { addressOf, pay } from '../limits/limits';
import { callerId, hasRole, type Principal } from './principal';
import { notesOf } from './request-notes';
import { accessOf, type RouteAccess } from './routes';
import { isEqual } from './secret-hash';
import type { Session } from './session/sessions';

const basicChallenge = 'Basic realm="aosc", charset="UTF-8"';
const keyChallenge = 'ApiKey realm="aosc"';

/**
 * Lets a caller in who has the role that the route needs (`routes.ts`). Keys, cookies and passwords that were right
 * before are checked first and pay from a budget of their own, so other traffic from the same address does not keep
 * them out. All other requests pay by address: missing or wrong credentials, and a password before its first success.
 * @throws AoscError unauthenticated, forbidden, rate_limited
 */
export function guardDoor({
  authenticate,
  sessions,
  limits,
}: Pick<ApiDependencies, 'authenticate' | 'sessions' | 'limits'>): RequestHandler {
  const { addresses, credentials, costOfFailure } = limits;

  /** @returns undefined: the caller has shown nothing, or the API asks for nothing */
  async function identify(request: Request, response: Response): Promise<Principal | undefined> {
    if (authenticate === undefined) return undefined;
    const { authorization } = request.headers;
    if (authorization === undefined) {
      const session = await sessions?.read(request, response);
      notesOf(request).session = session;
      return session?.principal;
    }
    const address = addressOf(request);
    const sender = authenticate(authorization, address);
    if (sender.type === 'known') return sender.principal;
    // Requests that wait for the same check pay for it once, unless the password was wrong.
    const isShared = sender.isUnderWay;
    if (!isShared) await pay(addresses, address, costOfFailure, response);
    const principal = await sender.check();
    if (principal !== undefined) {
      if (!isShared) await addresses.giveBack(address, costOfFailure);
      return principal;
    }
    if (isShared) await pay(addresses, address, costOfFailure, response);
    notesOf(request).refusedUser = sender.user;
    throw unauthenticated(request, response, 'wrong credentials');
  }

  return async (request, response, next) => {
    const { role } = accessOf(request.method, request.path);
    const principal = await identify(request, response);
    const notes = notesOf(request);
    notes.principal = principal;
    if (principal !== undefined) await pay(credentials, callerId(principal), 1, response);
    else {
      const isOpen = authenticate === undefined || role === 'open';
      await pay(addresses, addressOf(request), isOpen ? 1 : costOfFailure, response);
      const advice = 'send the header Authorization: ApiKey <key>, or Basic credentials';
      if (!isOpen) throw unauthenticated(request, response, `missing credentials: ${advice}`);
    }
    notes.hasEntered = true;
    requireOwnPage(request, notes.session);
    permit(principal, role);
    next();
  };
}

/**
 * Goes behind the body: a client may hold its body back until another credentials file is in use.
 * @throws AoscError unauthenticated
 */
export function refuseChangedCredential({
  findCredential,
}: Pick<ApiDependencies, 'findCredential'>): RequestHandler {
  return (request, _response, next) => {
    const { principal } = notesOf(request);
    if (
      principal &&
      findCredential &&
      findCredential(principal.kind, principal.name)?.principal !== principal
    ) {
      throw new AoscError('unauthenticated', 'The credentials have just changed; try again');
    }
    next();
  };
}

/** After a challenge for Basic a browser opens its own password dialog, so the page asks without one. */
function unauthenticated({ headers }: Request, response: Response, reason: string): AoscError {
  const isPage = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-mode'] !== 'navigate';
  response.setHeader('www-authenticate', isPage ? [keyChallenge] : [basicChallenge, keyChallenge]);
  return new AoscError('unauthenticated', reason);
}

/** @throws AoscError forbidden */
function permit(principal: Principal | undefined, role: RouteAccess['role']): void {
  if (principal === undefined || role === 'open' || hasRole(principal, role)) return;
  throw new AoscError(
    'forbidden',
    `[${principal.name}] has the roles [${principal.roles.join(', ')}]; this request needs [${role}]`,
  );
}

const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser adds the cookie to every request it sends, so a change needs more: the token that only the page could read.
 * @throws AoscError forbidden
 */
function requireOwnPage({ method, headers }: Request, session: Session | undefined): void {
  if (session === undefined || harmless.has(method)) return;
  const shown = headers['x-aosc-csrf'];
  if (typeof shown === 'string' && isEqual(shown, session.csrfToken)) return;
  throw new AoscError(
    'forbidden',
    'A session needs the header x-aosc-csrf with the token that _session shows',
  );
}
