import { type Call, ClusterError } from '@aosc/engine';
import { ShapeError } from '@aosc/contract';
import { classifyError } from './classify';
import type { OpenSearchClient, SendRequest } from './types';

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
