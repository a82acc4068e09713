import { AoscError } from '@aosc/contract';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf, type Limits, pay } from '../limits/limits';
import type { Authenticator } from './authenticator';
import { callerId, hasRole, type Principal } from './principal';
import { notesOf } from './request-notes';
import { accessOf, type RouteAccess } from './routes';
import { isEqual } from './secret-hash';
import type { Session, Sessions } from './session/sessions';

const basicChallenge = 'Basic realm="aosc", charset="UTF-8"';
const keyChallenge = 'ApiKey realm="aosc"';

export interface DoorOptions {
  /** undefined: the API asks for no credentials */
  readonly authenticate: Authenticator | undefined;
  /** undefined: this API signs no user in by a cookie */
  readonly sessions?: Pick<Sessions, 'read'> | undefined;
  readonly limits: Pick<Limits, 'addresses' | 'credentials' | 'costOfFailure'>;
}

/**
 * Lets a caller in who has the role that the route needs (`routes.ts`). Keys, cookies and passwords that were right
 * before are checked first and pay from a budget of their own, so other traffic from the same address does not keep
 * them out. All other requests pay by address: missing or wrong credentials, and a password before its first success.
 * @throws AoscError unauthenticated, forbidden, rate_limited
 */
export function guardDoor({ authenticate, sessions, limits }: DoorOptions): RequestHandler {
  const payByAddress = (request: Request, response: Response, points: number): Promise<void> =>
    pay(limits.addresses, addressOf(request), points, response);

  /** @returns undefined: the caller has shown nothing */
  async function identify(request: Request, response: Response): Promise<Principal | undefined> {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      const session = await sessions?.read(request, response);
      if (session === undefined) return undefined;
      notesOf(request).session = session;
      return session.principal;
    }
    const claim = authenticate?.(authorization, addressOf(request));
    if (claim?.type === 'known') return claim.principal;
    const isPassword = claim?.type === 'password';
    // Requests that wait for the same check pay for it once, unless the password was wrong.
    const isShared = isPassword && claim.isUnderWay;
    if (!isShared) await payByAddress(request, response, limits.costOfFailure);
    const principal = isPassword ? await claim.check() : undefined;
    if (principal === undefined) {
      if (isShared) await payByAddress(request, response, limits.costOfFailure);
      if (isPassword) notesOf(request).refusedUser = claim.user;
      throw unauthenticated(request, response, 'wrong credentials');
    }
    if (!isShared) await limits.addresses.giveBack(addressOf(request), limits.costOfFailure);
    return principal;
  }

  return async (request, response, next) => {
    const { role } = accessOf(request.method, request.path);
    const principal = authenticate === undefined ? undefined : await identify(request, response);
    if (principal === undefined) {
      const isOpen = authenticate === undefined || role === 'open';
      await payByAddress(request, response, isOpen ? 1 : limits.costOfFailure);
      if (!isOpen) {
        throw unauthenticated(
          request,
          response,
          'missing credentials: send the header Authorization: ApiKey <key>, or Basic credentials',
        );
      }
      notesOf(request).hasEntered = true;
      next();
      return;
    }
    notesOf(request).principal = principal;
    await pay(limits.credentials, callerId(principal), 1, response);
    notesOf(request).hasEntered = true;
    requireOwnPage(request, notesOf(request).session);
    permit(principal, role);
    next();
  };
}

function unauthenticated(request: Request, response: Response, reason: string): AoscError {
  response.setHeader('www-authenticate', challengesFor(request));
  return new AoscError('unauthenticated', reason);
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

/** After a challenge for Basic a browser opens its own password dialog, so the page asks without one. */
function challengesFor({ headers }: Request): string[] {
  const isPage = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-mode'] !== 'navigate';
  return isPage ? [keyChallenge] : [basicChallenge, keyChallenge];
}
