import fc from 'fast-check';
import { basic } from '../../auth/__tests__/credentials';
import { hostileText } from './hostile-values';

/** Secrets of the installation under test: no answer and no log line may hold one. */
export const readKey = 'fuzz-read-key-0123456789abcdefghijklmnop';
export const adminKey = 'fuzz-admin-key-0123456789abcdefghijklmno';
export const userName = 'fuzz-user';
export const password = 'fuzz-p4ssword';

const printable = (text: string): string => text.replace(/[^\x20-\x7e\x80-\xff]/g, '?');

const wrongSecrets = [
  readKey.slice(0, -1),
  `${readKey}x`,
  readKey.toUpperCase(),
  `${readKey},${adminKey}`,
  `"${readKey}"`,
  'x'.repeat(5_000),
];

/** `Authorization` headers of which none is right. */
export const wrongAuthorization: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'Basic',
    'Basic ',
    'ApiKey',
    `Bearer ${adminKey}`,
    `apikey${readKey}`,
    `ApiKey\t${readKey}`,
  ),
  fc.constantFrom(...wrongSecrets).map((secret) => `ApiKey ${secret}`),
  hostileText.map((text) => `ApiKey ${printable(text)}`),
  fc
    .constantFrom('!', '====', 'AAAA', 'a'.repeat(12_000), Buffer.from(userName).toString('base64'))
    .map((text) => `Basic ${text}`),
  hostileText.map((text) => basic(userName, `${text}!`)),
  hostileText
    .map((text) => basic(text.replaceAll(':', ''), password))
    .filter((value) => value !== basic(userName, password)),
  hostileText.map((text) => basic(`${userName}\u0000${text}`, password)),
  hostileText.map((text) => printable(`${text} ${text}`)).filter((text) => !/^(basic|apikey) /i.test(text)),
);
