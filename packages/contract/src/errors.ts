import { type Static, Type } from '@sinclair/typebox';
import { integer, text } from './shapes';
import { shorten } from './shorten';

/**
 * The one registry of the API's errors: code -> HTTP status and OpenSearch `type`. The types are those of the original
 * service, because clients match on them.
 */
export const errorRegistry = {
  validation_failed: { status: 400, type: 'action_request_validation_exception' },
  illegal_argument: { status: 400, type: 'illegal_argument_exception' },
  parsing_failed: { status: 400, type: 'parsing_exception' },
  precondition_failed: { status: 400, type: 'illegal_state_exception' },
  conflict: { status: 409, type: 'illegal_state_exception' },
  unauthenticated: { status: 401, type: 'security_exception' },
  forbidden: { status: 403, type: 'security_exception' },
  not_found: { status: 404, type: 'resource_not_found_exception' },
  method_not_allowed: { status: 405, type: 'method_not_allowed_exception' },
  too_large: { status: 413, type: 'content_too_long_exception' },
  unsupported_media_type: { status: 415, type: 'media_type_header_exception' },
  rate_limited: { status: 429, type: 'rate_limited_exception' },
  no_handler: { status: 404, type: 'no_handler_exception' },
  unavailable: { status: 503, type: 'service_unavailable_exception' },
  internal: { status: 500, type: 'internal_server_error' },
} as const;
export type ErrorCode = keyof typeof errorRegistry;

/** Reasons quote requests: whatever they quote, an answer and a log line stay small. */
const maxReasonLength = 4_000;

/** An error whose reason is written for the user: it says what is wrong and what to do. */
export class AoscError extends Error {
  override readonly name = 'AoscError';
  constructor(
    readonly code: ErrorCode,
    reason: string,
    options: {
      readonly cause?: unknown;
      /** what else is wrong with the same request, for the list of root causes */
      readonly further?: readonly AoscError[];
    } = {},
  ) {
    super(shorten(reason, maxReasonLength), 'cause' in options ? { cause: options.cause } : undefined);
    this.further = options.further ?? [];
  }
  readonly further: readonly AoscError[];
}

/** All that is wrong with a request itself, as OpenSearch lists it. */
export function validationFailed(problems: readonly string[]): AoscError {
  const list = problems.map((problem, index) => `${index + 1}: ${problem};`).join('');
  return new AoscError('validation_failed', `Validation Failed: ${list}`);
}

/** OpenSearch's error shape. */
export const ErrorBodySchema = Type.Object(
  {
    error: Type.Object({
      root_cause: Type.Array(
        Type.Object({
          type: Type.String(),
          reason: Type.String(),
        }),
      ),
      type: text('what kind of error it is, in the words of OpenSearch'),
      reason: text('what is wrong, and what to do'),
    }),
    status: integer('the HTTP status'),
  },
  { description: 'Every error has this shape.' },
);
export type ErrorBody = Static<typeof ErrorBodySchema>;

/** The body of an error's answer. */
export function toErrorBody(error: AoscError): ErrorBody {
  const { status, type } = errorRegistry[error.code];
  const causes = [error, ...error.further].map((each) => ({
    type: errorRegistry[each.code].type,
    reason: each.message,
  }));
  return { error: { root_cause: causes, type, reason: error.message }, status };
}
