import type { Schemas } from './generated/types.ts';

/** What was asked, without anything secret: headers and bodies are in no error. */
export interface AskedFor {
  readonly method: string;
  /** with its query */
  readonly path: string;
}

/** Everything that the client throws, but for what aborts it and for arguments that make no sense (TypeError). */
export abstract class ClientError extends Error {}

/** The API has refused, in OpenSearch's shape. */
export class ApiError extends ClientError {
  override readonly name = 'ApiError';
  /** like `resource_not_found_exception`; `unknown` when the answer is not the API's, but that of a proxy */
  readonly type: string;
  /** what is wrong, and what to do */
  readonly reason: string;
  readonly rootCause: readonly { readonly type: string; readonly reason: string }[];

  constructor(
    readonly request: AskedFor,
    /** the HTTP status */
    readonly status: number,
    error: Schemas['ErrorBody']['error'],
    /** what `Retry-After` asks for */
    readonly retryAfterMs?: number,
  ) {
    super(`${request.method} ${request.path}: ${status} ${error.type}: ${error.reason}`);
    this.type = error.type;
    this.reason = error.reason;
    this.rootCause = error.root_cause;
  }
}

/** No complete answer has come: the API may have done what it was asked for all the same. */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError';
  constructor(
    readonly request: AskedFor,
    reason: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`${request.method} ${request.path}: ${reason}`, options);
  }
}

/** An answer that is not what the API's document promises. `problems` name places, never values. */
export class AnswerError extends ClientError {
  override readonly name = 'AnswerError';
  constructor(
    readonly request: AskedFor,
    readonly problems: readonly string[],
  ) {
    super(`${request.method} ${request.path}: unexpected answer: ${problems.slice(0, 5).join('; ')}`);
  }
}

/** The migration has ended otherwise than it was waited for. */
export class MigrationEndedError extends ClientError {
  override readonly name = 'MigrationEndedError';
  constructor(
    readonly migration: Schemas['MigrationStatus'],
    wanted: string,
  ) {
    const { migration_id: id, phase, error_message: message } = migration;
    super(`waited for ${wanted}, but ${id} is ${phase}${message === undefined ? '' : `: ${message}`}`);
  }
}

/** The source has another migration now: the watched one has ended, and the client did not see how. */
export class MigrationReplacedError extends ClientError {
  override readonly name = 'MigrationReplacedError';
  constructor(
    readonly watchedId: string,
    readonly currentId: string,
  ) {
    super(`${watchedId} is not the newest migration of its source: that is ${currentId}`);
  }
}

/** The time for waiting is over; the migration goes on. */
export class WaitTimeoutError extends ClientError {
  override readonly name = 'WaitTimeoutError';
  constructor(
    timeoutMs: number,
    wanted: string,
    /** undefined: the API has not answered once */
    readonly migration: Schemas['MigrationStatus'] | undefined,
  ) {
    const last = migration === undefined ? 'no status was read' : `it is ${migration.phase}`;
    super(`waited ${timeoutMs} ms for ${wanted}: ${last}`);
  }
}
