import { createHash, createHmac } from 'node:crypto';

/** A request as it arrived. */
export interface SignedRequest {
  readonly method: string;
  /** path and query, as in the request line */
  readonly url: string;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Verifies as AWS documents it ("Create a signed AWS API request"), only from what arrived: this contains no code of
 * the signer.
 * @returns what is wrong, or undefined
 */
export function findSignatureProblem(
  request: SignedRequest,
  { accessKeyId, secretAccessKey }: SigningKey,
  scope: { readonly region: string; readonly service: string },
): string | undefined {
  const { authorization = '', 'x-amz-date': time = '' } = request.headers;
  const parts = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
    authorization,
  );
  if (parts === null) return `no signature: ${authorization}`;
  const [, credential, signedHeaders = '', signature] = parts;
  const day = time.slice(0, 8);
  const range = [day, scope.region, scope.service, 'aws4_request'].join('/');
  if (credential !== `${accessKeyId}/${range}`) return `another credential: ${credential}`;
  const names = signedHeaders.split(';');
  const required = Object.keys(request.headers).filter(
    (name) => name === 'host' || name.startsWith('x-amz-'),
  );
  const unsigned = required.filter((name) => !names.includes(name));
  if (unsigned.length > 0 || !names.includes('host')) return `not signed: ${unsigned.join(' ')}`;
  const bodyHash = sha256(request.body);
  const { 'x-amz-content-sha256': announced = bodyHash } = request.headers;
  if (announced !== bodyHash) return 'the body is another one than was signed';
  const canonical = canonicalRequest(request, names, bodyHash);
  const toSign = ['AWS4-HMAC-SHA256', time, range, sha256(canonical)].join('\n');
  const key = range.split('/').reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString('hex') === signature
    ? undefined
    : `the signature is another one of:\n${canonical}`;
}

function canonicalRequest(
  { method, url, headers }: SignedRequest,
  names: readonly string[],
  bodyHash: string,
) {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  return [
    method,
    encode(path).replaceAll('%2F', '/'),
    sortQuery(query),
    lines.join(''),
    names.join(';'),
    bodyHash,
  ].join('\n');
}

function sortQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(/=(.*)/s).slice(0, 2))
    .map(
      ([name = '', value = '']) => `${encode(decodeURIComponent(name))}=${encode(decodeURIComponent(value))}`,
    )
    .sort()
    .join('&');
}

/** Encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
