import { hostOf, isLoopback } from '@aosc/config';

/** The names that the API may be asked by. */
export interface AllowedHosts {
  /** @param header `Host` as it was sent; undefined: none was */
  readonly allows: (header: string | undefined) => boolean;
  /** what to do about a name that is refused */
  readonly advice: string;
}

/**
 * Without credentials, the API answers only to listed names, and on loopback also to those of loopback. With
 * credentials and without a list, it answers to any name: a page that points its own name here (DNS rebinding) has no
 * credentials, because browsers keep them by name.
 * @param listensOn the address the API listens on
 * @param listed in lower case, without ports
 */
export function allowHosts(
  listensOn: string,
  listed: readonly string[],
  hasCredentials: boolean,
): AllowedHosts {
  if (hasCredentials && listed.length === 0) return { allows: () => true, advice: '' };
  return {
    allows: (header) => {
      const name = hostOf(header);
      return name !== undefined && (listed.includes(name) || (isLoopback(listensOn) && isLoopback(name)));
    },
    advice:
      listed.length === 0
        ? 'ask for 127.0.0.1, or set AOSC_API_ALLOWED_HOSTS'
        : 'AOSC_API_ALLOWED_HOSTS lists the names it answers to',
  };
}
