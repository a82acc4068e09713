import { AnswerError, ApiError, ConnectionError, createAoscClient, type FetchInit } from '@aosc/client';

/** Sent with each request that changes something, when a cookie signs the page in. */
let csrfToken: string | undefined;
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** The API that this page comes from. A failure reaches the page at once; the page shows it and asks again itself. */
export const client = createAoscClient({
  url: location.origin,
  fetch: (url, init) => send(url, init),
  // A start asks OpenSearch many things; the API itself gives up before this.
  longTimeoutMs: 150_000,
  retry: { attempts: 1 },
});

/** {@link fetch} with the session's cookie, and its token where something is changed. */
export function send(url: string, init: Partial<FetchInit>): Promise<Response> {
  const changes = init.method !== undefined && init.method !== 'GET';
  const token = changes && csrfToken !== undefined ? { 'x-aosc-csrf': csrfToken } : {};
  return fetch(url, { ...init, credentials: 'same-origin', headers: { ...init.headers, ...token } });
}

/** In the words of the API when it has answered. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return reasonsOf(error).join('\n');
  if (error instanceof ConnectionError) return 'The API gave no answer. Is it running?';
  if (error instanceof AnswerError)
    return `The API answered something else than it promises: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether another try may help. */
export function isWorthRetrying(error: unknown): boolean {
  return error instanceof ConnectionError || !(error instanceof ApiError) || error.status >= 500;
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** A check of a start has every refusal as a root cause. The root cause of a single refusal only repeats the reason. */
function reasonsOf({ reason, rootCause }: ApiError): readonly string[] {
  const causes = [...new Set(rootCause.map((cause) => cause.reason))];
  return causes.length > 1 ? causes : [reason];
}
