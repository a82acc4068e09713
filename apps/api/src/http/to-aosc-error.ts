import { AoscError, type ErrorCode, errorRegistry, NewerVersionError } from '@aosc/contract';
import { type ClusterError, type ClusterErrorKind, isClusterError } from '@aosc/engine';

const refused = 'OpenSearch refuses a request of the service';

/**
 * What a failed call to OpenSearch means to the caller of the API, and how the reason begins. The checks have found
 * mistakes of users before.
 */
const meanings: { readonly [K in ClusterErrorKind]: readonly [ErrorCode, string] } = {
  // The cluster answered: a shard has no primary, or it is being moved.
  transient: [
    'unavailable',
    "OpenSearch has answered that it can't do this at the moment; try again, or look at _cluster/health",
  ],
  overload: ['unavailable', 'OpenSearch has too much to do; try again in a while'],
  aborted: ['unavailable', 'OpenSearch did not answer in the time of the request; try again'],
  forbidden: [
    'unavailable',
    "OpenSearch refuses the service's user; give it the permissions listed in docs/how-to/opensearch-user.md",
  ],
  blocked: ['unavailable', 'The cluster keeps the service from working'],
  conflict: ['conflict', 'Something else changed the same thing at the same moment; try again'],
  not_found: ['precondition_failed', 'An index went away while the request was answered'],
  snapshot_lost: ['unavailable', 'A point in time was lost; try again'],
  too_large: ['unavailable', refused],
  too_many_clauses: ['unavailable', refused],
  invalid: ['unavailable', refused],
};

/**
 * Turns anything that was thrown into an error with a code. An unexpected error is `internal`, and its text stays
 * hidden from the caller.
 */
export function toAoscError(error: unknown): AoscError {
  if (error instanceof AoscError) return error;
  if (isClusterError(error)) {
    // A request that is invalid although no server has judged it is the service's own fault.
    if (error.kind === 'invalid' && error.details.status === undefined) return internal(error);
    const [code, opening] = meanings[error.kind];
    const reason = `${exactOpening(error) ?? opening}: ${error.message}`;
    return new AoscError(code, reason, { cause: error });
  }
  if (error instanceof NewerVersionError)
    return new AoscError('unavailable', error.message, { cause: error });
  return fromHttpLibrary(error) ?? internal(error);
}

const unreached = "OpenSearch can't be reached or gave no usable answer";

/** How TLS names a server that it does not trust, in the words of Node and OpenSSL. */
const untrusted = /certificate|self-signed|altnames/i;

/** @returns undefined: the kind of the error says all */
function exactOpening(error: ClusterError): string | undefined {
  if (error.details.status === 401) {
    return (
      "OpenSearch does not accept the service's credentials; check AOSC_OPENSEARCH_USERNAME and " +
      'AOSC_OPENSEARCH_PASSWORD_FILE'
    );
  }
  if (error.kind === 'transient' && error.details.status === undefined) {
    return untrusted.test(error.message)
      ? "OpenSearch's certificate is not trusted; set AOSC_OPENSEARCH_CA to the authority that signed it"
      : unreached;
  }
  return undefined;
}

function internal(cause: unknown): AoscError {
  return new AoscError('internal', 'The service failed; its log has the cause', { cause });
}

/** Errors of Express and its body parser carry a status, and a type that says what was wrong. */
function fromHttpLibrary(error: unknown): AoscError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  const type = 'type' in error && typeof error.type === 'string' ? error.type : '';
  if (error.status === errorRegistry.too_large.status) {
    return new AoscError('too_large', 'The request body is larger than 1 MB', { cause: error });
  }
  if (error.status === errorRegistry.unsupported_media_type.status) {
    return new AoscError('unsupported_media_type', `Can't read the request body: ${error.message}`);
  }
  if (type === 'entity.parse.failed') {
    return new AoscError('parsing_failed', `The request body is not JSON: ${error.message}`);
  }
  if (error.status >= 400 && error.status < 500) {
    return new AoscError('illegal_argument', `Bad request: ${error.message}`);
  }
  return undefined;
}
