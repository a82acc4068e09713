import type { Role, SessionAnswer } from '@aosc/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from './errors';
import { askRaw, setCsrfToken } from './request';
import { isObject } from '../schema/check-schema';

const path = '/_plugins/_aosc/_session';
export const sessionKey = ['session'] as const;
/** Renewed long before it would end, as long as the page is open. */
const renewEveryMs = 5 * 60_000;

/**
 * Who uses the page. Asked before anything else, and so before there is a document to hold the answer to.
 * @throws ApiError
 */
export async function readSession(): Promise<SessionAnswer> {
  return take((await askRaw({ place: { method: 'get', path } })).body);
}

export interface Credentials {
  readonly kind: 'user' | 'api_key';
  /** of a user */
  readonly name: string;
  readonly secret: string;
}

/** @throws ApiError: 401 when they are wrong */
export async function signIn({ kind, name, secret }: Credentials): Promise<SessionAnswer> {
  const authorization =
    kind === 'user' ? `Basic ${toBase64(`${name}:${secret}`)}` : `ApiKey ${secret.trim()}`;
  return take((await askRaw({ place: { method: 'post', path }, headers: { authorization } })).body);
}

export async function signOut(): Promise<SessionAnswer> {
  return take((await askRaw({ place: { method: 'delete', path } })).body);
}

export function useSession(): SessionAnswer | undefined {
  return useSessionQuery().data;
}

/** Whether the API has been asked in vain or has answered: before, nobody knows whether there is anything to ask. */
export function useIsSessionKnown(): boolean {
  return !useSessionQuery().isPending;
}

function useSessionQuery() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: readSession,
    refetchInterval: renewEveryMs,
    staleTime: 60_000,
  });
}

/** Whether the API tells the caller anything at all. */
export function isLetIn(session: SessionAnswer | undefined): boolean {
  return session !== undefined && (session.authentication === 'none' || session.principal !== undefined);
}

const order: readonly Role[] = ['read', 'operate', 'admin'];

/** Why the caller may not do something; undefined: it may, as far as its role goes. */
export function reasonAgainst(session: SessionAnswer | undefined, needed: Role): string | undefined {
  if (session === undefined || session.authentication === 'none') return undefined;
  const { principal } = session;
  if (principal === undefined) return 'Sign in first.';
  const enough = order.slice(order.indexOf(needed));
  if (enough.some((role) => principal.roles.includes(role))) return undefined;
  return `${principal.name} has the role ${principal.roles.join(', ')}; this needs ${needed}.`;
}

function take(body: unknown): SessionAnswer {
  if (!isSession(body))
    throw new ApiError(200, 'unexpected_answer', 'The API does not tell who is signed in');
  setCsrfToken(body.csrf_token);
  return body;
}

function isSession(body: unknown): body is SessionAnswer {
  if (!isObject(body)) return false;
  const { authentication, principal, csrf_token: token } = body;
  if (authentication !== 'none' && authentication !== 'required') return false;
  if (token !== undefined && typeof token !== 'string') return false;
  return (
    principal === undefined ||
    (isObject(principal) && typeof principal['name'] === 'string' && Array.isArray(principal['roles']))
  );
}

/** `btoa` takes no characters beyond Latin-1; the API reads UTF-8. */
function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
