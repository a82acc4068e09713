import { createHash, createHmac, randomBytes } from 'node:crypto';
import { ConfigError, readSecretFile, variables } from '@aosc/config';
import { AoscError, createParser, type SessionClaims, SessionClaimsSchema } from '@aosc/contract';
import type { Marks } from '@aosc/queue';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../principal';
import type { LoadedAuthenticator } from '../authenticator';
import { isEqual } from '../secret-hash';

const parse = createParser('session', SessionClaimsSchema);

const withProof = (said: string, key: Buffer): string =>
  `${said}.${createHmac('sha256', key).update(said).digest('base64url')}`;

/** The text of a cookie: the claims, and the proof that this service wrote them. */
export const signToken = (claims: SessionClaims, key: Buffer): string =>
  withProof(Buffer.from(JSON.stringify(claims)).toString('base64url'), key);

/** @returns undefined: this service did not write it */
function readToken(token: string, key: Buffer): SessionClaims | undefined {
  const [said = ''] = token.split('.', 1);
  if (!isEqual(token, withProof(said, key))) return undefined;
  // The signature proves that this service wrote it, so another shape is a mistake of this service.
  return parse(JSON.parse(Buffer.from(said, 'base64url').toString('utf8')));
}

/** A token is valid for this long after it was made. */
const idleMs = 15 * 60_000;
/** The next request replaces a token that is older than this. */
const renewAfterMs = 2 * 60_000;
/** After this the user signs in again, however active the session is. */
const maxMs = 8 * 3_600_000;
const maxRunning = 10_000;

export interface Session {
  readonly principal: Principal;
  /** What a page has to show beside the cookie, which browsers add by themselves and scripts can't read. */
  readonly csrfToken: string;
  /** unless it is renewed, epoch ms */
  readonly expiresAtMillis: number;
  /** Ends the session, with every copy of its cookie. */
  readonly end: () => Promise<void>;
}

interface SessionOptions {
  /** random; the same in every process that shall know these sessions */
  readonly key: Buffer;
  /** undefined: the credentials file does not name it (any more) */
  readonly findCredential: LoadedAuthenticator['findCredential'];
  /** browsers reach the API by HTTPS: the cookie goes only over HTTPS then, and to no other name */
  readonly isSecure: boolean;
  /** the sessions that users have signed out of, at any process */
  readonly ended: Marks;
  /** epoch milliseconds */
  readonly now: () => number;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Finds out who a cookie signs in. The process stores no session: the cookie itself names its user. */
export function createSessions({ key, findCredential, isSecure, ended, now }: SessionOptions) {
  /** Sessions that were not signed out when Redis last answered. While Redis is away, no other cookie counts. */
  const running = new LRUCache<string, true>({ max: maxRunning });
  // Browsers take `__Host-` only over HTTPS and for exactly this host, so no neighbouring host can set it.
  const cookieName = `${isSecure ? '__Host-' : ''}aosc_session`;
  const attributes = { httpOnly: true, sameSite: 'strict', secure: isSecure } as const;

  function give(response: Response, claims: SessionClaims): void {
    response.cookie(cookieName, signToken(claims, key), { ...attributes, maxAge: idleMs });
  }

  function toSession({ id, issuedMillis, sinceMillis }: SessionClaims, principal: Principal): Session {
    running.set(id, true);
    return {
      principal,
      csrfToken: id,
      expiresAtMillis: Math.min(issuedMillis + idleMs, sinceMillis + maxMs),
      async end() {
        running.delete(id);
        await ended.set(id, maxMs / 1_000);
      },
    };
  }

  return {
    /**
     * Gives the client a cookie.
     * @throws AoscError unauthenticated when the credential has changed since it was checked
     */
    open(principal: Principal, response: Response): Session {
      const { kind, name } = principal;
      const known = findCredential(kind, name);
      // Another credentials file may have come into use while the password was checked or the body arrived.
      if (known?.principal !== principal) {
        throw new AoscError('unauthenticated', 'The credentials have just changed; sign in again');
      }
      const id = randomBytes(18).toString('base64url');
      const times = { sinceMillis: now(), issuedMillis: now() };
      const claims = { id, kind, name, credential: known.fingerprint, ...times };
      give(response, claims);
      return toSession(claims, principal);
    },
    /** Gives the client a newer cookie where it is time. @returns undefined: no cookie signs the caller in */
    async read({ headers }: Request, response: Response): Promise<Session | undefined> {
      const prefix = `${cookieName}=`;
      const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
      const token = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
      const claims = token === undefined ? undefined : readToken(token, key);
      if (claims === undefined) return undefined;
      const { id, kind, name, credential, issuedMillis, sinceMillis } = claims;
      if (now() >= issuedMillis + idleMs || now() >= sinceMillis + maxMs) return undefined;
      const known = findCredential(kind, name);
      if (known?.fingerprint !== credential) return undefined;
      if ((await ended.has(id)) ?? !running.has(id)) {
        running.delete(id);
        return undefined;
      }
      if (now() - issuedMillis >= renewAfterMs) give(response, { ...claims, issuedMillis: now() });
      return toSession(claims, known.principal);
    },
    /** Takes the cookie away. */
    forget: (response: Response): void => void response.clearCookie(cookieName, attributes),
  };
}

const leastLength = 32;

/**
 * The key that signs sessions.
 * @param path empty: a random key, so a session ends with the process and counts in this process only
 * @throws ConfigError when the file has too short a text
 */
export function readSessionKey(path: string): Buffer {
  if (path === '') return randomBytes(32);
  const { name } = variables.sessionKeyFile;
  const text = readSecretFile(name, path).trim();
  if (text.length < leastLength) {
    throw new ConfigError([`${name} (${path}) must have at least ${leastLength} characters of random text`]);
  }
  return createHash('sha256').update(text).digest();
}
