import type { Credentials } from './credentials.ts';

/** The part of `fetch` that the client needs, so that any implementation of it fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'error';
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** How often and how soon a request is sent again that may be sent again. */
export interface RetryOptions {
  /** requests in all, the first one included; default 5, at most 20 */
  readonly attempts?: number;
  /** the first pause; each later one is twice as long; default 250 */
  readonly baseMs?: number;
  /** no pause is longer, unless the API asks for it; default 10,000 */
  readonly maxMs?: number;
  /** an API that asks for a longer pause is not asked again; default 60,000 */
  readonly maxRetryAfterMs?: number;
}

export interface ClientOptions {
  /** where the API is, like `https://aosc.example:9650`; a path in front of the API's own may follow */
  readonly url: string;
  readonly credentials?: Credentials;
  /** credentials may cross a network over http://, where anybody on the way reads them; default false */
  readonly allowPlainCredentials?: boolean;
  /** what requests are sent with; default: the global `fetch` */
  readonly fetch?: Fetch;
  /** from the first byte of a request to the last one of its answer; default 60,000 */
  readonly timeoutMs?: number;
  /** the same of a start and of what ends migrations, which ask the cluster many things; default 120,000 */
  readonly longTimeoutMs?: number;
  /** larger answers are refused; default 64 MiB */
  readonly maxAnswerBytes?: number;
  readonly retry?: RetryOptions;
  /** chance, from 0 up to 1; default `Math.random` */
  readonly random?: () => number;
}

/** What any call takes. */
export interface CallOptions {
  /** ends the call, which then throws the signal's reason; the API may still do what it was asked for */
  readonly signal?: AbortSignal | undefined;
}
