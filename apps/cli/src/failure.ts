import {
  ApiError,
  ClientError,
  ConnectionError,
  MigrationEndedError,
  MigrationReplacedError,
  WaitTimeoutError,
} from '@aosc/client';
import type { ExitName } from './exit-codes';

/** What the user gave can't be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The user has ended the command. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  constructor() {
    super('interrupted');
  }
}

export interface Failure {
  readonly exit: ExitName;
  readonly message: string;
  /** a dry run has found more than one thing: each in a line of its own, below the message */
  readonly found?: readonly string[];
  /** the API's own words, without what the message adds to them */
  readonly reason?: string;
  /** what a script can go by, as in the API's errors */
  readonly type: string;
  readonly status?: number;
}

/** How an error is reported, and the exit code. @returns undefined for an unexpected error */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { exit: 'usage', message: error.message, type: 'usage' };
  if (error instanceof InterruptedError)
    return { exit: 'interrupted', message: error.message, type: 'interrupted' };
  if (error instanceof ApiError) {
    const { status, type, reason, rootCause } = error;
    const failure = { exit: exitOfStatus(status), reason, type, status };
    if (rootCause.length < 2)
      return { ...failure, message: withHints(reason, `${reason} (${status} ${type})`) };
    return {
      ...failure,
      message: `It would be refused for ${rootCause.length} reasons (${status} ${type}):`,
      found: rootCause.map((cause) => withHints(cause.reason, cause.reason)),
    };
  }
  if (error instanceof ConnectionError) {
    const message = withHints(error.message, `The API does not answer: ${error.message}`);
    return { exit: 'away', message, type: 'connection' };
  }
  if (error instanceof WaitTimeoutError) return { exit: 'late', message: error.message, type: 'timeout' };
  if (error instanceof MigrationEndedError || error instanceof MigrationReplacedError) {
    return { exit: 'ended', message: error.message, type: 'ended' };
  }
  if (error instanceof ClientError) return { exit: 'failed', message: error.message, type: 'answer' };
  return undefined;
}

/** The API's hints name parts of a request; these name flags of this command. */
const hints: readonly (readonly [words: RegExp, hint: string])[] = [
  [/^source index \[[^\]]*\] not found$/, 'check the name: GET _cat/indices of OpenSearch lists all indices'],
  [/^target index \[.*\] not found$/, '"aosc create-target" makes one like the source'],
  [
    /accept_data_loss_if_custom_routing_is_used/,
    'here the option is --accept-data-loss. Nothing is lost: if two documents can not both live in the target, the migration fails',
  ],
  [/options\.create_alias=true/, 'here the option is --create-alias'],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/,
    'check that the API runs, and its address: --url, AOSC_API_URL, or a context',
  ],
  [/other side closed/, 'another server may have this address: check --url, AOSC_API_URL, or the context'],
  [/create_target needs options\.copy/, 'here --shards and --settings go with --copy files or --copy auto'],
  [
    /^Migration precondition check failed: target index \[.*\] is not empty/,
    'delete it and create it again (aosc create-target), or take another name',
  ],
  [/wrong version number|packet length too long/, 'this port does not speak TLS: is the address http:// ?'],
  [
    /the answer is not one of the API/,
    'another server has this address: check --url, AOSC_API_URL, or the context',
  ],
];

/** A text with what this command has for it. @param reason the API's words */
export const withHints = (reason: string, text: string): string =>
  [text, ...hints.filter(([words]) => words.test(reason)).map(([, hint]) => hint)].join('; ');

function exitOfStatus(status: number): ExitName {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'missing';
  return status === 429 || status >= 500 ? 'away' : 'refused';
}
