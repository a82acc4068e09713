import { format } from 'winston';
import { cutText } from './cut-text';

const hidden = '***';
const maxDepth = 8;
/** Characters of one text in a log line: the search for secrets has a bound, whatever the text's origin. */
const maxTextLength = 16_384;

/** Fields whose value is a secret whatever it looks like. */
const secretKeys = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'password',
  'x-api-key',
  'x-amz-security-token',
  'secretaccesskey',
  'sessiontoken',
]);

/**
 * `scheme://user:password@`: up to the last `@` before the path, since a password may contain one. The expression
 * starts at `://`, which the rest can't contain: an expression that also matched the scheme would start again at each of its
 * letters.
 */
const urlUserinfo = /:\/\/[^/?#\s"']*@/g;
/** `Authorization: Basic ...` in a message, and the credentials of a header quoted without its name. */
const authorizationHeader =
  /(authorization["']?\s*[:=]\s*["']?)(?:(?:basic|bearer|apikey|digest|negotiate)\s+)?[^\s"',;]+/gi;
const bareCredentials = /\b([Bb]asic|[Bb]earer)\s+(?=\S*[A-Z0-9=])[A-Za-z0-9+/_.~-]{8,}=*/g;

/**
 * A request that was signed for AWS: the header under any name, and the session token, which the front of a cluster
 * repeats when it finds a signature wrong.
 */
const awsSignature =
  /AWS4-HMAC-SHA256\s+Credential=[^\s,]+,\s*SignedHeaders=[^\s,]+,\s*Signature=[0-9a-f]+/gi;
const awsSecrets =
  /((?:x-amz-security-token|x-amz-signature|x-amz-credential|aws_?secret_?access_?key|aws_?session_?token|secret_?access_?key|session_?token)\\?["']?\s*[:=]\s*\\?["']?)[\w+/=%.~-]+/gi;

/** Removes credentials from a text, and cuts a text that is longer than a log line should quote. */
export function scrubText(text: string): string {
  return cutText(text, maxTextLength)
    .replace(urlUserinfo, `://${hidden}@`)
    .replace(awsSignature, hidden)
    .replace(awsSecrets, `$1${hidden}`)
    .replace(authorizationHeader, `$1${hidden}`)
    .replace(bareCredentials, `$1 ${hidden}`);
}

/** Removes credentials from every text inside a value; the value itself does not change. */
export function scrubValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (depth >= maxDepth) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => scrubEntry(key, inner, depth + 1)));
}

function scrubEntry(key: string, value: unknown, depth: number): [string, unknown] {
  return [key, secretKeys.has(key.toLowerCase()) ? hidden : scrubValue(value, depth)];
}

/** The winston format, through which every line passes. */
export const scrubSecrets = format((info) => {
  for (const [key, value] of Object.entries(info)) {
    const [, clean] = scrubEntry(key, value, 0);
    // eslint-disable-next-line aosc/no-record-lookup -- the line's own key
    info[key] = clean;
  }
  return info;
});
