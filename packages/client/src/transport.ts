import { type AnswerName, parseAnswer } from './answers.ts';
import { isLoopback, toAuthorization } from './credentials.ts';
import { AnswerError, ApiError, type AskedFor, ConnectionError } from './errors.ts';
import type { Schemas } from './generated/types.ts';
import type { ClientOptions, Fetch, FetchResponse } from './options.ts';
import { decidePause, planRetries, readRetryAfter, type RetryPlan } from './retry.ts';
import { reasonOf, sleep, startTimer } from './sleep.ts';

/** One request, as the methods of the client describe it. */
interface Call<N extends AnswerName> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** parts encoded */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** it may be sent again although the client can't know whether it has arrived */
  readonly changesNothing: boolean;
  /** it may take as long as a start */
  readonly isLong?: boolean;
  readonly answer: N;
  /** statuses beside 2xx that have the same answer */
  readonly alsoAnswers?: readonly number[];
  /** the ETag of what is known: 304 is an answer then */
  readonly ifNoneMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer<N extends AnswerName> {
  /** undefined: 304, nothing has changed */
  readonly body: Schemas[N] | undefined;
  readonly etag: string | undefined;
}

export interface Transport {
  /** @throws ApiError, ConnectionError, AnswerError, or the signal's reason */
  readonly send: <N extends AnswerName>(call: Call<N>) => Promise<Answer<N>>;
  /**
   * An answer that goes on, piece by piece, until the API ends it. It is asked for once.
   * @throws ApiError, ConnectionError (also after `silenceMs` without a byte), or the signal's reason
   */
  readonly stream: (asked: StreamCall) => AsyncGenerator<string, void, undefined>;
}

interface StreamCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Resolved {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly longTimeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly plan: RetryPlan;
}

/** @throws TypeError for options that make no sense, or that would send credentials in the clear */
export function createTransport(options: ClientOptions): Transport {
  const resolved = resolveOptions(options);
  const random = options.random ?? Math.random;
  return {
    async send(call) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await sendOnce(resolved, call);
        } catch (error) {
          if (call.signal?.aborted === true) throw reasonOf(call.signal);
          const { changesNothing } = call;
          const pauseMs = decidePause(resolved.plan, { error, attempt, changesNothing }, random());
          if (pauseMs === undefined) throw error;
          await sleep(pauseMs, call.signal);
        }
      }
    },
    stream: (asked) => readStream(resolved, asked),
  };
}

function resolveOptions(options: ClientOptions): Resolved {
  const url = parseUrl(options.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('url does not begin with http:// or https://');
  if (url.username !== '' || url.password !== '') throw new TypeError('url holds no user: pass credentials');
  if (url.search !== '' || url.hash !== '') throw new TypeError('url ends with its path');
  const { credentials } = options;
  const isExposed = url.protocol === 'http:' && !isLoopback(url.hostname);
  if (credentials !== undefined && isExposed && options.allowPlainCredentials !== true) {
    throw new TypeError(
      `credentials would be sent to ${url.host} over http://, where any machine on the way reads them: use https://, or allowPlainCredentials`,
    );
  }
  return {
    base: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    headers: {
      accept: 'application/json',
      ...(credentials !== undefined && { authorization: toAuthorization(credentials) }),
    },
    fetch: options.fetch ?? ((to, init) => fetch(to, init)),
    timeoutMs: options.timeoutMs ?? 60_000,
    longTimeoutMs: options.longTimeoutMs ?? 120_000,
    maxAnswerBytes: options.maxAnswerBytes ?? 64 * 1024 * 1024,
    plan: planRetries(options.retry),
  };
}

/** The text is not quoted: it may hold a password. */
function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new TypeError('what was given is not a URL: it has to begin with http:// or https://', { cause });
  }
}

async function sendOnce<N extends AnswerName>(resolved: Resolved, call: Call<N>): Promise<Answer<N>> {
  const asked: AskedFor = { method: call.method, path: call.path + describeQuery(call.query) };
  const timeoutMs = call.isLong === true ? resolved.longTimeoutMs : resolved.timeoutMs;
  const limit = startLimit(timeoutMs, `no complete answer within ${timeoutMs} ms`, call.signal);
  try {
    const response = await ask(resolved, asked, limit.signal, {
      headers: {
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...(call.ifNoneMatch !== undefined && { 'if-none-match': call.ifNoneMatch }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    });
    const text = await readText(asked, response, resolved.maxAnswerBytes);
    return judge(asked, call, response, text);
  } catch (error) {
    throw explain(asked, error, limit.signal);
  } finally {
    limit.end();
  }
}

async function* readStream(
  resolved: Resolved,
  { path, headers, silenceMs, signal }: StreamCall,
): AsyncGenerator<string, void, undefined> {
  const asked: AskedFor = { method: 'GET', path };
  const limit = startLimit(silenceMs, `nothing has come for ${silenceMs} ms`, signal);
  try {
    const response = await ask(resolved, asked, limit.signal, { headers });
    if (response.status !== 200) {
      const text = await readText(asked, response, resolved.maxAnswerBytes);
      throw toApiError(asked, response, readJson(text));
    }
    for await (const { text } of readPieces(response)) {
      limit.renew();
      yield text;
    }
  } catch (error) {
    if (signal?.aborted === true) throw reasonOf(signal);
    throw explain(asked, error, limit.signal);
  } finally {
    limit.end();
  }
}

function ask(
  { base, headers, fetch: send }: Resolved,
  { method, path }: AskedFor,
  signal: AbortSignal,
  own: { readonly headers: Record<string, string>; readonly body?: string },
): Promise<FetchResponse> {
  return send(base + path, {
    ...own,
    method,
    headers: { ...headers, ...own.headers },
    signal,
    // A server that answers with a redirection is not the API, and must not make the client send credentials elsewhere.
    redirect: 'error',
  });
}

/** A signal that fires after a time, which can be begun again, or when the caller's does. */
function startLimit(ms: number, words: string, outer: AbortSignal | undefined) {
  const limit = new AbortController();
  const expire = (): void => limit.abort(new Error(words));
  const giveUp = (): void => limit.abort(new Error('given up'));
  let timer = startTimer(expire, ms);
  outer?.addEventListener('abort', giveUp, { once: true });
  if (outer?.aborted === true) giveUp();
  return {
    signal: limit.signal,
    renew() {
      clearTimeout(timer);
      timer = startTimer(expire, ms);
    },
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', giveUp);
    },
  };
}

function explain(asked: AskedFor, error: unknown, limit: AbortSignal): Error {
  if (error instanceof ApiError || error instanceof AnswerError) return error;
  const reason: unknown = limit.aborted ? limit.reason : error;
  return new ConnectionError(asked, describeFailure(reason), { cause: error });
}

function describeQuery(query: Call<AnswerName>['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

async function readText(asked: AskedFor, response: FetchResponse, maxBytes: number): Promise<string> {
  let text = '';
  let bytes = 0;
  for await (const piece of readPieces(response)) {
    bytes += piece.bytes;
    if (bytes > maxBytes) throw new AnswerError(asked, [`it has more than ${maxBytes} bytes`]);
    text += piece.text;
  }
  return text;
}

/** A body as it comes; a reader that stops ends it. */
async function* readPieces({
  body,
}: FetchResponse): AsyncGenerator<{ readonly text: string; readonly bytes: number }, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isWhole = done;
      yield { text: decoder.decode(value, { stream: !done }), bytes: value?.byteLength ?? 0 };
      if (done) return;
    }
  } finally {
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}

function judge<N extends AnswerName>(
  asked: AskedFor,
  call: Call<N>,
  response: FetchResponse,
  text: string,
): Answer<N> {
  const { status, headers } = response;
  const etag = headers.get('etag') ?? undefined;
  if (status === 304 && call.ifNoneMatch !== undefined) return { body: undefined, etag };
  const value = readJson(text);
  const isAnswer = (status >= 200 && status < 300) || call.alsoAnswers?.includes(status) === true;
  if (isAnswer) {
    const parsed = parseAnswer(call.answer, value);
    if ('value' in parsed) return { body: parsed.value, etag };
    if (status < 300) throw new AnswerError(asked, parsed.problems);
  }
  throw toApiError(asked, response, value);
}

function toApiError(asked: AskedFor, { status, headers }: FetchResponse, value: unknown): ApiError {
  const refused = parseAnswer('ErrorBody', value);
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  // A proxy in front of the API answers in its own way; its page is not quoted.
  const error =
    'value' in refused
      ? refused.value.error
      : { type: 'unknown', reason: 'the answer is not one of the API', root_cause: [] };
  return new ApiError(asked, status, error, retryAfterMs);
}

/** @returns null for what is no JSON */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * `fetch` hides the reason in the cause of its error. For several addresses of one name, that cause has a code and no
 * text. Looks at the fields and not at the class: errors of another realm are of another class.
 */
function describeFailure(error: unknown): string {
  const [outer, inner] = [fieldsOf(error), fieldsOf(fieldsOf(error).cause)];
  const found = [inner.message, inner.code, outer.message].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return String(found ?? error);
}

function fieldsOf(error: unknown): { message?: unknown; code?: unknown; cause?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
