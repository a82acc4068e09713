import { isObject } from '../schema/check-schema';
import { type ApiDocument, type Place, readApiDocument } from '../schema/openapi-document';
import { ApiError } from './errors';

/** A start asks OpenSearch many things; the API itself gives up before this. */
const timeoutMs = 150_000;

export interface Ask {
  readonly place: Place;
  /** what `{index}` stands for */
  readonly index?: string;
  /** what `{shard}` stands for */
  readonly shard?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

let described: Promise<ApiDocument> | undefined;

/** The API's description of itself, read once. */
export function readDocument(): Promise<ApiDocument> {
  described ??= send('/openapi.json', { method: 'GET' })
    .then(readBody)
    .then(readApiDocument)
    .catch((error: unknown) => {
      described = undefined;
      throw error;
    });
  return described;
}

/** Sent with whatever changes something, when the page is signed in by a cookie. */
let csrfToken: string | undefined;
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/**
 * Asks the API, and holds its answer to its own document.
 * @typeParam T the type that the document's schema of the answer is made from
 * @throws ApiError
 */
export async function ask<T>(what: Ask): Promise<T> {
  const { path, method } = what.place;
  const { status, body } = await askRaw(what);
  const problems = (await readDocument()).checkAnswer(what.place, status, body);
  const [first] = problems;
  if (first !== undefined) {
    throw new ApiError(
      status,
      'unexpected_answer',
      `${method.toUpperCase()} ${path} answered something else than its description says: ${first.path.join('.')} ${first.message}`,
    );
  }
  // The schema that was just looked at is the one that the type is made from.
  return body as T;
}

interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The same without a look at the document, for what is asked before there is one. */
export async function askRaw({ place, index, shard, query, body, headers, signal }: Ask): Promise<RawAnswer> {
  const path = place.path
    .replace('{index}', encodeURIComponent(index ?? ''))
    .replace('{shard}', encodeURIComponent(shard ?? ''));
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  const changes = place.method !== 'get';
  const response = await send(`${path}${search}`, {
    method: place.method.toUpperCase(),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(changes && csrfToken !== undefined ? { 'x-aosc-csrf': csrfToken } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answered = await readBody(response);
  if (!response.ok) throw toError(response.status, answered);
  return { status: response.status, body: answered };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const limit = AbortSignal.any([new AbortController().signal, ...(init.signal ? [init.signal] : [])]);
  const bounded = new AbortController();
  const timer = setTimeout(() => bounded.abort(), timeoutMs);
  try {
    return await fetch(path, {
      ...init,
      credentials: 'same-origin',
      signal: AbortSignal.any([limit, bounded.signal]),
    });
  } catch (cause) {
    if (limit.aborted) throw cause;
    throw new ApiError(0, 'no_answer', 'The API gave no answer', { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ApiError(response.status, 'no_json', 'The answer is not JSON: is this the API?', { cause });
  }
}

function toError(status: number, body: unknown): ApiError {
  const error = isObject(body) ? body['error'] : undefined;
  const { type, reason } = isObject(error) ? error : {};
  return new ApiError(
    status,
    typeof type === 'string' ? type : 'unknown',
    typeof reason === 'string' ? reason : `The API answered ${status}`,
  );
}
