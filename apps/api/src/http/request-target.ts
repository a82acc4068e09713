/**
 * The path and query of a request's target. A client that takes the API for a proxy sends a whole URL (RFC 9112,
 * 3.2.2). Its host means nothing here, may be missing, and may hold a password that no error should quote.
 */
export function toOriginForm(target: string): string {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
