import { createHmac, timingSafeEqual, randomBytes, createHash } from 'node:crypto';
import { ConfigError, readSecretFile, variables } from '@aosc/config';
import { createParser, type SessionClaims, SessionClaimsSchema, AoscError } from '@aosc/contract';
import type { Marks } from '@aosc/queue';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../principal';
import type { KnownCredential } from '../read-credentials';

const parse = createParser('session', SessionClaimsSchema);

/** A name has at most 128 characters; everything else has a fixed length. */
const maxLength = 1_024;

/** The text of a cookie: the claims, and the proof that this service wrote them. */
export function signToken(claims: SessionClaims, key: Buffer): string {
  const said = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${said}.${proofOf(said, key)}`;
}

/** @returns undefined: this service did not write it */
function readToken(token: string, key: Buffer): SessionClaims | undefined {
  if (token.length > maxLength) return undefined;
  const [said = '', proof = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isEqual(proof, proofOf(said, key))) return undefined;
  // The signature proves that this service wrote it, so another shape is a mistake of this service.
  return parse(JSON.parse(Buffer.from(said, 'base64url').toString('utf8')));
}

/** What a page has to show beside the cookie, which browsers add by themselves. */
export function csrfTokenOf({ id }: Pick<SessionClaims, 'id'>, key: Buffer): string {
  return createHmac('sha256', key).update(`csrf ${id}`).digest('base64url');
}

/** In constant time for texts of one length. */
export function isEqual(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

function proofOf(said: string, key: Buffer): string {
  return createHmac('sha256', key).update(`session ${said}`).digest('base64url');
}

/** A token is valid for this long after it was made. */
const idleMs = 15 * 60_000;
/** The next request replaces a token that is older than this. */
const renewAfterMs = 2 * 60_000;
/** After this the user signs in again, however active the session is. */
const maxMs = 8 * 3_600_000;
const maxRunning = 10_000;
const plainName = 'aosc_session';

export interface Session {
  readonly principal: Principal;
  readonly csrfToken: string;
  /** unless it is renewed, epoch ms */
  readonly expiresAtMillis: number;
  /** `Set-Cookie` of a newer token; undefined: it is young enough */
  readonly renewal: string | undefined;
  /** Ends the session, with every copy of its cookie. */
  readonly end: () => Promise<void>;
}

/** Finds out who a cookie signs in. The process stores no session: the cookie itself names its user. */
export interface Sessions {
  /**
   * @returns `Set-Cookie`, and the session
   * @throws AoscError unauthenticated when the credential has changed since it was checked
   */
  open(principal: Principal): { readonly cookie: string; readonly session: Session };
  /** @param header `Cookie`; @returns undefined: the header signs no user in */
  read(header: string | undefined): Promise<Session | undefined>;
  /** `Set-Cookie` that takes the cookie away */
  readonly farewell: string;
}

interface SessionOptions {
  /** random; the same in every process that shall know these sessions */
  readonly key: Buffer;
  /** undefined: the credentials file does not name it (any more) */
  readonly findCredential: (kind: Principal['kind'], name: string) => KnownCredential | undefined;
  /** browsers reach the API by HTTPS: the cookie goes only over HTTPS then, and to no other name */
  readonly isSecure: boolean;
  /** the sessions that users have signed out of, at any process */
  readonly ended: Marks;
  /** epoch milliseconds */
  readonly now: () => number;
}

export function createSessions({ key, findCredential, isSecure, ended, now }: SessionOptions): Sessions {
  /** Sessions that were not signed out when Redis last answered. While Redis is away, no other cookie counts. */
  const running = new LRUCache<string, true>({ max: maxRunning });
  // Browsers take a name with this prefix only over HTTPS and for exactly this host, so no neighbouring host can set
  // it.
  const cookieName = isSecure ? `__Host-${plainName}` : plainName;
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
      async end() {
        running.delete(claims.id);
        await ended.set(claims.id, maxMs / 1_000);
      },
    };
  }

  return {
    open(principal) {
      const { kind, name } = principal;
      const known = findCredential(kind, name);
      // Another credentials file may have come into use while the password was checked or the body arrived.
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
      running.set(claims.id, true);
      return { cookie: write(claims), session: toSession(claims, principal) };
    },
    async read(header) {
      const token = valueOf(cookieName, header);
      const claims = token === undefined ? undefined : readToken(token, key);
      if (claims === undefined) return undefined;
      const { kind, name, credential, issuedMillis, sinceMillis } = claims;
      if (now() >= issuedMillis + idleMs || now() >= sinceMillis + maxMs) return undefined;
      const known = findCredential(kind, name);
      if (known === undefined || known.fingerprint !== credential) return undefined;
      const hasEnded = (await ended.has(claims.id)) ?? !running.has(claims.id);
      if (hasEnded) {
        running.delete(claims.id);
        return undefined;
      }
      running.set(claims.id, true);
      return toSession(claims, known.principal);
    },
    farewell: `${cookieName}=; Max-Age=0; ${attributes}`,
  };
}

function valueOf(name: string, header: string | undefined): string | undefined {
  const prefix = `${name}=`;
  return header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length);
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
