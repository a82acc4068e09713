import { createOpenApiDocument } from '@aosc/contract';
import { createAnswerCheck } from './check-answer';

/** An answer of the API that is what its document says. */
export interface CheckedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** parsed when it is JSON; undefined when it is empty */
  readonly body: unknown;
}

/** Holds an answer of the API to its OpenAPI document. @throws {BrokenPromise} when they differ */
export const checkAnswer = createAnswerCheck(createOpenApiDocument());

/**
 * Sends a request to the API and holds the answer, errors included, to the OpenAPI document.
 * @throws {BrokenPromise} when they differ
 */
export async function sendChecked(apiUrl: string, path: string, init: RequestInit): Promise<CheckedAnswer> {
  const response = await fetch(`${apiUrl}${path}`, init);
  const { status, headers } = response;
  const text = await response.text();
  checkAnswer({
    method: init.method ?? 'GET',
    path,
    status,
    headers: Object.fromEntries(headers),
    body: text,
  });
  if (text === '') return { status, headers, body: undefined };
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status, headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}
