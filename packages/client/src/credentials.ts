/**
 * Who asks. The client sends the credentials with each request and puts them nowhere else: no error and no log has
 * them.
 */
export type Credentials =
  { readonly apiKey: string } | { readonly username: string; readonly password: string };

/** The value of `Authorization`. @throws TypeError for what no header can hold */
export function toAuthorization(credentials: Credentials): string {
  if ('apiKey' in credentials) {
    if (!/^[\x21-\x7e]+$/.test(credentials.apiKey)) throw new TypeError('an API key is one word of ASCII');
    return `ApiKey ${credentials.apiKey}`;
  }
  const { username, password } = credentials;
  if (username.includes(':')) throw new TypeError('a user name has no colon');
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Names and addresses of this machine, which no network lies in front of. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}
