import { ShapeError } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import type { NodeConnections, RequestTrace } from '@aosc/signals';
import type { AwsCredentialProvider, AwsSigning } from './aws-signing';
import { classifyError } from './classify';

export interface SendRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** begins with a slash; names in it come from `indexPath` or `aliasPath` */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: string | Buffer;
  /** default: application/json */
  readonly contentType?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** The one door to OpenSearch. */
export interface OpenSearchClient {
  /**
   * Sends one request once. It never retries, because a repeated bulk has two outcomes.
   * @returns the complete answer, whatever its status
   * @throws ClusterError 'aborted' (the signal), 'transient' (no connection, cut off, too slow) or 'too_large' (the
   *   answer is over the bound)
   */
  send(request: SendRequest, call: Call): Promise<RawAnswer>;
  nodes(): readonly NodeConnections[];
  /** Closes the idle connections. Running requests go on: abort them first. */
  close(): Promise<void>;
}

export interface ClientOptions {
  /** node URLs; user and password of the first URL that has them apply to all */
  readonly nodes: readonly string[];
  /** from the first byte sent to the last byte received; default 60,000 */
  readonly requestTimeoutMs?: number;
  /** connections per node; default 64 */
  readonly maxSockets?: number;
  /** a larger answer fails as 'too_large'; default 128 MiB (OpenSearch takes documents up to 100 MiB) */
  readonly maxResponseBytes?: number;
  /** PEM of the authority that signed the nodes' certificates */
  readonly ca?: string;
  /** PEM of the certificate shown to the nodes, and of its key */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** take precedence over those in a URL */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** signs every request for AWS (SigV4), instead of other credentials */
  readonly aws?: AwsSigning;
  /** left out: no request belongs to a trace */
  readonly trace?: RequestTrace;
  /**
   * Called after the connections to a node were renewed.
   * @param node host and port
   */
  readonly onRenewal?: (node: string) => void;
  /** instead of AWS's standard chain; called when the first request is signed */
  readonly openAwsProvider?: () => Promise<AwsCredentialProvider>;
}

/**
 * Sends a request and returns the body of a 2xx answer.
 * @param accept further statuses that are answers, not errors
 * @throws ClusterError
 */
export async function request(
  client: OpenSearchClient,
  what: SendRequest,
  call: Call,
  accept: readonly number[] = [],
): Promise<Buffer> {
  const { status, body } = await client.send(what, call);
  if ((status >= 200 && status < 300) || accept.includes(status)) return body;
  throw classifyError(`${what.method} ${what.path}`, status, body);
}

/**
 * {@link request} with the answer parsed and checked. An answer of another shape (a proxy's page, a truncated body) is
 * ClusterError('transient'): it proves nothing about what happened.
 */
export async function requestJson<T>(
  client: OpenSearchClient,
  what: SendRequest,
  parse: (value: unknown) => T,
  call: Call,
  accept: readonly number[] = [],
): Promise<T> {
  const body = await request(client, what, call, accept);
  return parseAnswer(body, parse, `${what.method} ${what.path}`);
}

/** {@link requestJson} for what only reads. */
export function getJson<T>(
  client: OpenSearchClient,
  path: string,
  query: NonNullable<SendRequest['query']>,
  parse: (value: unknown) => T,
  call: Call,
): Promise<T> {
  return requestJson(client, { method: 'GET', path, query }, parse, call);
}

/** Parses an answer's body. @throws ClusterError 'transient' when it is not what it should be */
export function parseAnswer<T>(body: Buffer, parse: (value: unknown) => T, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ClusterError('transient', `${what}: the answer is not JSON`);
  }
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof ShapeError) throw new ClusterError('transient', `${what}: ${error.message}`);
    throw error;
  }
}
