import { isIP } from 'node:net';

/** The result of parsing one variable. `problem` says what the value must be, and why when there is a reason. */
type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** How the text of a variable becomes a value. `expects` is the "type and bounds" that documentation shows. */
export interface ValueType<T> {
  readonly expects: string;
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

/** Text that matches a pattern. */
export function text(pattern: RegExp, expects: string): ValueType<string> {
  return {
    expects,
    parse: (value) => (pattern.test(value) ? { value } : { problem: `must be: ${expects}` }),
  };
}

/** The path of a file; empty text: none. Reading the file shows whether it is readable. */
export const file: ValueType<string> = {
  expects: 'path of a file',
  parse: (value) => (value.includes('\0') ? { problem: `must be: ${file.expects}` } : { value }),
};

/** A host name or an IP address to listen on. */
export const host: ValueType<string> = {
  expects: 'host name or IP address, without scheme and port',
  parse: (value) =>
    isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(value)
      ? { value }
      : { problem: `must be: ${host.expects}` },
};

/** Names or addresses without ports, separated by commas, in lower case; empty text: none. */
export const hosts: ValueType<readonly string[]> = {
  expects: 'host names and IP addresses without ports, separated by commas',
  parse(value) {
    if (value === '') return { value: [] };
    const parts = value.split(',').map((part) => part.trim().toLowerCase());
    return parts.every((part) => 'value' in host.parse(part))
      ? { value: Object.freeze(parts) }
      : { problem: `must be: ${hosts.expects}` };
  },
};

/**
 * IP addresses and networks (`10.0.0.0/8`), separated by commas; empty text: none. A network of all addresses is
 * invalid.
 */
export const networks: ValueType<readonly string[]> = {
  expects: 'IP addresses and networks like `10.0.0.0/8`, separated by commas',
  parse(value) {
    const parts = value === '' ? [] : value.split(',').map((part) => part.trim());
    return parts.length <= 100 && parts.every(isNetwork)
      ? { value: Object.freeze(parts) }
      : { problem: `must be: ${networks.expects}` };
  },
};

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
  const expects = expectedUrls(schemes);
  const separator = new RegExp(`,\\s*(?=(?:${schemes.join('|')})://)`, 'i');
  return {
    expects,
    parse(value) {
      const parts = value === '' ? [] : value.split(separator);
      const valid = parts.every((part) => hasScheme(part, schemes) && !new URL(part).hostname.includes(','));
      return valid ? { value: Object.freeze(parts) } : { problem: `must be: ${expects}` };
    },
  };
}

/** Name patterns separated by commas; empty text: none. */
export const namePatterns: ValueType<readonly string[]> = {
  expects: 'names in which `*` stands for any text, separated by commas',
  parse(value) {
    const parts = value === '' ? [] : value.split(',').map((part) => part.trim());
    const valid = parts.length <= 100 && parts.every((part) => /^[^\s/]{1,255}$/.test(part));
    return valid ? { value: Object.freeze(parts) } : { problem: `must be: ${namePatterns.expects}` };
  },
};

/** One or more URLs, separated by commas. */
export function urls(...schemes: readonly string[]): ValueType<readonly string[]> {
  const expects = expectedUrls(schemes);
  return {
    expects,
    parse(value) {
      const parts = value.split(',').map((part) => part.trim());
      const valid = parts.every((part) => hasScheme(part, schemes));
      return valid ? { value: Object.freeze(parts) } : { problem: `must be: ${expects}` };
    },
  };
}

/**
 * One URL, or empty text: none. It has no use for a user or a query.
 * @param added the path that the service appends: a URL that already ends with it would have it twice
 */
export function optionalUrl(added: string): ValueType<string> {
  const expects = `URL (\`http://\` or \`https://\`) without user and query, and without \`${added}\``;
  return {
    expects,
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
