import { setTimeout as sleep } from 'node:timers/promises';
import { UnexpectedAnswer } from '../http/call-json';
import { ConnectionError, createHttpClient, type HttpRequest } from '../http/http-client';
import { checkAnswer } from '../http/send-checked';
import {
  parseCancelled,
  parseStarted,
  parseStatus,
  type StatusDocument,
  terminalPhases,
} from './status-document';

export interface StartOptions {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  /** `options` of the start request, as on the wire */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly transformScript?: Readonly<Record<string, unknown>>;
  /** `create_target` of the start request */
  readonly createTarget?: Readonly<Record<string, unknown>>;
}

const pathOf = (index: string, action: string): string =>
  `/_plugins/_aosc/${encodeURIComponent(index)}/${action}`;

/** Starts a migration. @returns its id @throws {UnexpectedAnswer} with the reason when it is rejected */
export async function startMigration(apiUrl: string, start: StartOptions): Promise<string> {
  const body = {
    target_index: start.target,
    alias: start.alias,
    ...(start.options === undefined ? {} : { options: start.options }),
    ...(start.createTarget === undefined ? {} : { create_target: start.createTarget }),
    ...(start.transformScript === undefined ? {} : { transform_script: start.transformScript }),
  };
  const request = {
    method: 'POST',
    path: pathOf(start.source, '_start'),
    body: JSON.stringify(body),
  } as const;
  return (await callApi(apiUrl, parseStarted, request)).migration_id;
}

/** Asks for the end of a migration. @returns the phase it answers with */
export async function cancelMigration(apiUrl: string, source: string): Promise<string> {
  const request = { method: 'POST', path: pathOf(source, '_cancel') } as const;
  return (await callApi(apiUrl, parseCancelled, request)).phase;
}

/** The status document of the newest migration of an index. */
export async function readStatus(
  apiUrl: string,
  source: string,
  signal?: AbortSignal,
): Promise<StatusDocument> {
  return callApi(apiUrl, parseStatus, { method: 'GET', path: pathOf(source, '_status'), signal });
}

/**
 * One request on a connection of its own. Each answer is checked against the OpenAPI document.
 * @throws {UnexpectedAnswer} for a status of 300 or more
 */
async function callApi<T>(apiUrl: string, parse: (value: unknown) => T, request: HttpRequest): Promise<T> {
  const http = createHttpClient([apiUrl]);
  try {
    const answer = await http.send(request);
    const { status, headers } = answer;
    const body = answer.body.toString('utf8');
    checkAnswer({ method: request.method, path: request.path, status, headers, body });
    if (status >= 300) throw new UnexpectedAnswer(request, answer);
    return parse(JSON.parse(body));
  } finally {
    http.close();
  }
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** default 5 minutes */
  readonly timeoutMs?: number;
  /** default 200 */
  readonly intervalMs?: number;
  /** receives each status document, the last one included */
  readonly onStatus?: (status: StatusDocument) => void;
}

/**
 * Reads the status until the migration is in one of `phases` (shards: see {@link waitForStatus}).
 * @throws when it ends in another phase (with its error message), when the time is over, or on abort
 */
export function waitForPhase(
  apiUrl: string,
  source: string,
  phases: readonly string[],
  options: WaitOptions = {},
): Promise<StatusDocument> {
  return waitForStatus(
    apiUrl,
    source,
    (status) => phases.includes(status.phase),
    phases.join(' or '),
    options,
  );
}

/**
 * Reads the status until `reached` says so. An API that can't be reached for a while is waited for.
 * @param wanted what is waited for, in words
 */
export async function waitForStatus(
  apiUrl: string,
  source: string,
  reached: (status: StatusDocument) => boolean,
  wanted: string,
  options: WaitOptions = {},
): Promise<StatusDocument> {
  const { signal, timeoutMs = 300_000, intervalMs = 200, onStatus } = options;
  const deadline = performance.now() + timeoutMs;
  let last = 'nothing';
  for (;;) {
    signal?.throwIfAborted();
    const status = await readStatus(apiUrl, source, signal).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      last = String(error);
      return undefined;
    });
    if (status !== undefined) {
      onStatus?.(status);
      if (reached(status)) return status;
      last = describeStatus(status);
      if (terminalPhases.includes(status.phase)) throw new Error(`waited for ${wanted}, but ${last}`);
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${timeoutMs} ms for ${wanted}; last seen: ${last}`);
    }
    await sleep(intervalMs, undefined, signal === undefined ? {} : { signal });
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ConnectionError || (error instanceof UnexpectedAnswer && error.answer.status >= 500)
  );
}

function describeStatus(status: StatusDocument): string {
  const shards = Object.entries(status.shards)
    .map(([shard, { phase, error }]) => `${shard}:${phase}${error === undefined ? '' : ` (${error})`}`)
    .join(' ');
  const error = status.error_message === undefined ? '' : `: ${status.error_message}`;
  return `${status.migration_id} is ${status.phase}${error} [${shards}]`;
}
