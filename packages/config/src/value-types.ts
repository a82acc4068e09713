import { isIP } from 'node:net';

/** The result of parsing one variable. `problem` says what the value must be, and why when there is a reason. */
type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** How the text of a variable becomes a value. `expects` is the "type and bounds" that documentation shows. */
export interface ValueType<T> {
  readonly expects: string;
  /** a problem with it ends up in logs, so it must not quote the text */
  readonly mayHoldSecret?: true;
  parse(text: string): Parsed<T>;
}

interface IntegerBounds {
  readonly min: number;
  readonly max: number;
  /** what would go wrong below `min` and above `max` */
  readonly tooLow: string;
  readonly tooHigh: string;
  readonly unit?: 'ms';
}

/** A whole number within bounds. */
export function integer({ min, max, tooLow, tooHigh, unit }: IntegerBounds): ValueType<number> {
  const expects = `${unit === 'ms' ? 'milliseconds' : 'whole number'}, ${min} to ${max}`;
  return {
    expects,
    parse(text) {
      if (!/^-?\d{1,15}$/.test(text)) return { problem: `must be: ${expects}` };
      const value = Number(text);
      if (value < min) return { problem: `must be: ${expects}. Lower, ${tooLow}` };
      if (value > max) return { problem: `must be: ${expects}. Higher, ${tooHigh}` };
      return { value };
    },
  };
}

/** A number from 0 to 1, in decimals. */
export const ratio: ValueType<number> = {
  expects: 'number, 0 to 1',
  parse(text) {
    const value = Number(text);
    const isOne = /^\d{1,2}(\.\d{1,9})?$/.test(text) && value <= 1;
    return isOne ? { value } : { problem: `must be: ${ratio.expects}` };
  },
};

/** One of a few words. */
export function choice<const T extends string>(words: readonly T[]): ValueType<T> {
  const expects = words.map((word) => `\`${word}\``).join(' or ');
  return {
    expects,
    parse(text) {
      const value = words.find((word) => word === text);
      return value === undefined ? { problem: `must be: ${expects}` } : { value };
    },
  };
}

/** Text that is as it should be. */
function checked(expects: string, isValid: (value: string) => boolean): ValueType<string> {
  return { expects, parse: (value) => (isValid(value) ? { value } : { problem: `must be: ${expects}` }) };
}

/** Text that matches a pattern. */
export const text = (pattern: RegExp, expects: string): ValueType<string> =>
  checked(expects, (value) => pattern.test(value));

/** A name beside which a password may stand by mistake. */
export const userName: ValueType<string> = {
  ...text(/^[^:\s]{0,256}$/, 'text without colons and blanks'),
  mayHoldSecret: true,
};

/** The path of a file; empty text: none. Reading the file shows whether it is readable. */
export const file: ValueType<string> = checked('path of a file', (value) => !value.includes('\0'));

const isHost = (value: string): boolean =>
  isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(value);

/** A host name or an IP address to listen on. */
export const host: ValueType<string> = checked('host name or IP address, without scheme and port', isHost);

/** Parts between commas; empty text: none. */
const byComma = (value: string): readonly string[] =>
  value === '' ? [] : value.split(',').map((part) => part.trim());

/** A list of parts each of which is as it should be. */
function list(
  expects: string,
  isValid: (part: string) => boolean,
  { split = byComma, most = Infinity } = {},
): ValueType<readonly string[]> {
  return {
    expects,
    parse(value) {
      const parts = split(value);
      const wrong = parts.findIndex((part) => !isValid(part));
      if (wrong < 0 && parts.length <= most) return { value: Object.freeze(parts) };
      const which = wrong >= 0 && parts.length > 1 ? `. Number ${wrong + 1} is not` : '';
      return { problem: `must be: ${expects}${which}` };
    },
  };
}

/** Names or addresses without ports, separated by commas, in lower case; empty text: none. */
export const hosts = list('host names and IP addresses without ports, separated by commas', isHost, {
  split: (value) => byComma(value.toLowerCase()),
});

/**
 * IP addresses and networks (`10.0.0.0/8`), separated by commas; empty text: none. A network of all addresses is
 * invalid.
 */
export const networks = list('IP addresses and networks like `10.0.0.0/8`, separated by commas', isNetwork, {
  most: 100,
});

function isNetwork(text: string): boolean {
  const [address = '', bits = '32', ...rest] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most;
}

/**
 * One or more URLs; a comma only separates them in front of a scheme, because a password may contain one. Empty text:
 * none.
 */
export function serverUrls(...schemes: readonly string[]): ValueType<readonly string[]> {
  const separator = new RegExp(`,\\s*(?=(?:${schemes.join('|')})://)`, 'i');
  const isServer = (part: string): boolean =>
    hasScheme(part, schemes) && !new URL(part).hostname.includes(',');
  const split = (value: string) => (value === '' ? [] : value.split(separator));
  return { ...list(expectedUrls(schemes), isServer, { split }), mayHoldSecret: true };
}

/** Name patterns separated by commas; empty text: none. */
export const namePatterns = list(
  'names in which `*` stands for any text, separated by commas',
  (part) => /^[^\s/]{1,255}$/.test(part),
  { most: 100 },
);

/** One or more URLs, separated by commas. */
export function urls(...schemes: readonly string[]): ValueType<readonly string[]> {
  const split = (value: string) => value.split(',').map((part) => part.trim());
  const isServer = (part: string): boolean => hasScheme(part, schemes);
  return { ...list(expectedUrls(schemes), isServer, { split }), mayHoldSecret: true };
}

/**
 * One URL, or empty text: none. It has no use for a user or a query.
 * @param added the path that the service appends: a URL that already ends with it would have it twice
 */
export function optionalUrl(added: string): ValueType<string> {
  const expects = `URL (\`http://\` or \`https://\`) without user and query, and without \`${added}\``;
  return {
    expects,
    mayHoldSecret: true,
    parse(value) {
      if (value === '') return { value };
      if (!hasScheme(value, ['http', 'https'])) return { problem: `must be: ${expects}` };
      const { username, password, search, hash, pathname } = new URL(value);
      const isBare = username + password + search + hash === '' && !pathname.includes(added);
      if (!isBare) return { problem: `must be: ${expects}` };
      return { value: value.endsWith('/') ? value.slice(0, -1) : value };
    },
  };
}

function expectedUrls(schemes: readonly string[]): string {
  return `URL (${schemes.map((scheme) => `\`${scheme}://\``).join(' or ')}), several separated by commas`;
}

function hasScheme(value: string, schemes: readonly string[]): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  return parsed !== undefined && parsed.hostname !== '' && schemes.includes(parsed.protocol.slice(0, -1));
}
