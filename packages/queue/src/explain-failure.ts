/** Codes of OpenSSL's verification, as Node hands them on. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What a server says, and what to do about it. */
const known: readonly (readonly [RegExp, string])[] = [
  [
    /cluster support disabled/i,
    'this Redis is no cluster: set AOSC_REDIS_CLUSTER=no, and AOSC_REDIS_URL to the one server',
  ],
  [
    /^WRONGPASS|^NOAUTH|invalid username-password/,
    'Redis refuses the user or password of AOSC_REDIS_URL (a sentinel: of AOSC_REDIS_SENTINELS)',
  ],
  [/^NOPERM/, 'the user of AOSC_REDIS_URL lacks a right: docs/operations/redis.md lists what it needs'],
  [/^(MOVED|CROSSSLOT) /, 'this Redis is a cluster: set AOSC_REDIS_CLUSTER=yes'],
];

/** How Node and ioredis say that there is no connection; ioredis names its own options. */
const away =
  /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\b|^Stream isn't writeable|^Connection is closed|^Reached the max retries per request/;
const ofOptions = /^Stream isn't writeable|^Reached the max retries/;

/** An error whose text names the server at fault, and what to do. */
class ExplainedError extends Error {}

/**
 * Adds to an error which server is at fault and what to do. A Redis Cluster only says that no node answered: the reason
 * is in the last node's error.
 */
export function explainFailure(error: Error): Error {
  if (error instanceof ExplainedError) return error;
  const reason =
    'lastNodeError' in error && error.lastNodeError instanceof Error ? error.lastNodeError : error;
  if ('code' in reason && typeof reason.code === 'string' && untrusted.has(reason.code)) {
    return new ExplainedError(
      `Redis shows a certificate that no known authority signed (${reason.message}): AOSC_REDIS_CA must name a file with the authority's certificate`,
      { cause: error },
    );
  }
  const advice = known.find(([pattern]) => pattern.test(reason.message))?.[1];
  if (advice !== undefined) return new ExplainedError(`${advice} (${reason.message})`, { cause: error });
  if (away.test(reason.message)) {
    const said = ofOptions.test(reason.message) ? '' : ` (${reason.message})`;
    return new ExplainedError(`Redis does not answer${said}: check that it runs, and AOSC_REDIS_URL`, {
      cause: error,
    });
  }
  return reason === error
    ? error
    : new ExplainedError(`${error.message} ${reason.message}`, { cause: error });
}
