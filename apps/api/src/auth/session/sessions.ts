import { randomBytes } from 'node:crypto';
import { AoscError, type SessionClaims } from '@aosc/contract';
import { LRUCache } from 'lru-cache';
import type { KnownCredential } from '../read-credentials';
import type { Principal } from '../principal';
import { csrfTokenOf, readToken, signToken } from './session-token';

/** A token is good for so long after it was made. */
const idleMs = 15 * 60_000;
/** One that is older than this is replaced at the next request. */
const renewAfterMs = 2 * 60_000;
/** Then the credential is asked for again, whatever happens. */
const maxMs = 8 * 3_600_000;
const maxEnded = 10_000;
const cookieName = 'aosc_session';

export interface Session {
  readonly principal: Principal;
  readonly csrfToken: string;
  /** unless it is renewed, epoch ms */
  readonly expiresAtMillis: number;
  /** `Set-Cookie` of a newer token; undefined: it is young enough */
  readonly renewal: string | undefined;
  readonly end: () => void;
}

/** Who is signed in by a cookie. The process keeps none of them: a cookie says itself whose it is. */
export interface Sessions {
  /**
   * @returns `Set-Cookie`, and the session
   * @throws AoscError unauthenticated when the credential has changed since it was checked
   */
  open(principal: Principal): { readonly cookie: string; readonly session: Session };
  /** @param header `Cookie`; @returns undefined: nobody is signed in by it */
  read(header: string | undefined): Session | undefined;
  /** `Set-Cookie` that takes the cookie away */
  readonly farewell: string;
}

export interface SessionOptions {
  /** random; the same in every process that shall know these sessions */
  readonly key: Buffer;
  /** undefined: the credentials file does not name it (any more) */
  readonly findCredential: (kind: Principal['kind'], name: string) => KnownCredential | undefined;
  /** the API itself speaks TLS: the cookie goes over nothing else then */
  readonly isSecure: boolean;
  /** epoch milliseconds */
  readonly now: () => number;
}

export function createSessions({ key, findCredential, isSecure, now }: SessionOptions): Sessions {
  /** Those that were ended here before their time. */
  const ended = new LRUCache<string, true>({ max: maxEnded });
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const write = (claims: SessionClaims): string =>
    `${cookieName}=${signToken(claims, key)}; Max-Age=${Math.round(idleMs / 1000)}; ${attributes}`;

  function toSession(claims: SessionClaims, principal: Principal): Session {
    const expiresAtMillis = Math.min(claims.issuedMillis + idleMs, claims.sinceMillis + maxMs);
    const isOld = now() - claims.issuedMillis >= renewAfterMs;
    return {
      principal,
      csrfToken: csrfTokenOf(claims, key),
      expiresAtMillis,
      renewal: isOld ? write({ ...claims, issuedMillis: now() }) : undefined,
      end: () => ended.set(claims.id, true),
    };
  }

  return {
    open(principal) {
      const { kind, name } = principal;
      const known = findCredential(kind, name);
      // A file that was taken into use while the password was checked or the body came has others of the same name.
      if (known?.principal !== principal) {
        throw new AoscError('unauthenticated', 'The credentials have just changed; sign in again');
      }
      const claims: SessionClaims = {
        id: randomBytes(18).toString('base64url'),
        kind,
        name,
        credential: known.fingerprint,
        sinceMillis: now(),
        issuedMillis: now(),
      };
      return { cookie: write(claims), session: toSession(claims, principal) };
    },
    read(header) {
      const token = tokenIn(header);
      const claims = token === undefined ? undefined : readToken(token, key);
      if (claims === undefined || ended.get(claims.id) !== undefined) return undefined;
      const { kind, name, credential, issuedMillis, sinceMillis } = claims;
      if (now() >= issuedMillis + idleMs || now() >= sinceMillis + maxMs) return undefined;
      const known = findCredential(kind, name);
      if (known === undefined || known.fingerprint !== credential) return undefined;
      return toSession(claims, known.principal);
    },
    farewell: `${cookieName}=; Max-Age=0; ${attributes}`,
  };
}

function tokenIn(header: string | undefined): string | undefined {
  const prefix = `${cookieName}=`;
  return header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length);
}
