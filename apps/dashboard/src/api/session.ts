import type { Role, SessionAnswer } from '@aosc/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@aosc/client';
import { send, setCsrfToken } from './client';
import { isObject } from './is-object';

const path = '/_plugins/_aosc/_session';
export const sessionKey = ['session'] as const;
/** The page renews its session long before it would end. */
const renewEveryMs = 5 * 60_000;

export interface Credentials {
  readonly kind: 'user' | 'api_key';
  /** of a user */
  readonly name: string;
  readonly secret: string;
}

/** Who is signed in. @throws ApiError */
export const readSession = (): Promise<SessionAnswer> => ask('GET');

/** @throws ApiError: 401 when the credentials are wrong */
export function signIn({ kind, name, secret }: Credentials): Promise<SessionAnswer> {
  const authorization =
    kind === 'user' ? `Basic ${toBase64(`${name}:${secret}`)}` : `ApiKey ${secret.trim()}`;
  return ask('POST', { authorization });
}

export const signOut = (): Promise<SessionAnswer> => ask('DELETE');

async function ask(method: string, headers: Record<string, string> = {}): Promise<SessionAnswer> {
  const response = await send(path, { method, headers: { accept: 'application/json', ...headers } });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isSession(body)) {
    setCsrfToken(body.csrf_token);
    return body;
  }
  const given = isObject(body) && isObject(body['error']) ? body['error']['reason'] : undefined;
  const reason = typeof given === 'string' ? given : 'The API does not say who is signed in';
  throw new ApiError({ method, path }, response.status, { type: 'unknown', reason, root_cause: [] });
}

export function useSession(): SessionAnswer | undefined {
  return useSessionQuery().data;
}

/**
 * Whether a first answer or failure of the API is there: before, the page does not know whether the API needs a
 * sign-in.
 */
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

/** Whether the API answers this caller's questions. */
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

/** Why the caller may not give a script, which runs as code in the cluster. */
export function reasonAgainstScripts(session: SessionAnswer | undefined): string | undefined {
  return session?.principal?.may_transform === false
    ? 'Your role needs the permission transform.'
    : undefined;
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
