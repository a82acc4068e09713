import type { HttpAnswer, HttpClient, HttpRequest } from './http-client';

/** An answer that the testkit did not expect; the message holds its beginning. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  constructor(
    request: Pick<HttpRequest, 'method' | 'path'>,
    readonly answer: HttpAnswer,
  ) {
    super(`${request.method} ${request.path}: ${answer.status} ${answer.body.toString('utf8', 0, 1000)}`);
  }
}

/** Sends a request and gives its body back. @throws {UnexpectedAnswer} for a status of 300 or more */
export async function callRaw(http: HttpClient, request: HttpRequest): Promise<Buffer> {
  const answer = await http.send(request);
  if (answer.status >= 300) throw new UnexpectedAnswer(request, answer);
  return answer.body;
}

/**
 * Sends JSON and lets the answer in through `parse`. Not for answers with `_version` or `_source`:
 * `JSON.parse` rounds numbers beyond 2^53.
 */
export async function callJson<T>(
  http: HttpClient,
  parse: (value: unknown) => T,
  method: HttpRequest['method'],
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const bytes = await callRaw(http, {
    method,
    path,
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return parse(JSON.parse(bytes.toString('utf8')));
}
