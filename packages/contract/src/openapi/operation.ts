import type { TSchema } from '@sinclair/typebox';
import type { Role } from '../credentials-file';
import type { ErrorCode } from '../errors';

/** A parameter of the path, the query or the headers. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: TSchema;
}

/** What an endpoint answers with one status. */
export interface Answer {
  readonly description: string;
  /** JSON, unless `text` says which kind of text it is; absent: no body */
  readonly schema?: TSchema;
  readonly text?: 'plain' | 'event-stream';
  /** headers every such answer has, and what they say */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The actions in the audit log. */
export type AuditedAction =
  | 'sign_in'
  | 'sign_out'
  | 'start'
  | 'plan'
  | 'preview_transform'
  | 'create_target'
  | 'cancel'
  | 'cutover'
  | 'verify'
  | 'retry_set_aside'
  | 'change_settings'
  | 'cleanup_leases'
  | 'clear_state';

/** One endpoint as the OpenAPI document describes it. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete';
  /** template with `{name}` for parameters */
  readonly path: string;
  /** the original service's handler name, where it has one */
  readonly operationId: string;
  /** what a credential needs; `open`: probes and the page ask without credentials */
  readonly role: Role | 'open';
  /** what the audit log calls it; absent: reading is not logged */
  readonly action?: AuditedAction;
  readonly tag: 'migrations' | 'administration' | 'settings' | 'service';
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  /** OpenSearch's `pretty`, `human` and `error_trace` are let through */
  readonly commonParameters: boolean;
  /** `isOptional`: a request without one means something, too */
  readonly body?: { readonly schema: TSchema; readonly description: string; readonly isOptional?: true };
  readonly answers: Readonly<Record<number, Answer>>;
  readonly errors: readonly ErrorCode[];
}

/** Errors of any request before the API looks for its endpoint. */
export const errorsOfAccess: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'rate_limited'];

/** Errors of any request before its endpoint sees it. */
export const errorsOfEveryRequest: readonly ErrorCode[] = [
  ...errorsOfAccess,
  'illegal_argument',
  'parsing_failed',
  'too_large',
  'unsupported_media_type',
];

/** Further errors of endpoints that ask OpenSearch. */
const errorsOfCluster: readonly ErrorCode[] = ['unavailable', 'internal'];

type Described = Pick<Operation, 'operationId' | 'summary' | 'answers'> & Partial<Operation>;

/**
 * An endpoint that asks OpenSearch, as most do.
 * @param described what differs from a read of migrations that every credential may do
 * @param errors beside those of each such endpoint
 */
export function operation(
  method: Operation['method'],
  path: string,
  described: Described,
  errors: readonly ErrorCode[] = [],
): Operation {
  return {
    method,
    path,
    role: 'read',
    tag: 'migrations',
    parameters: [],
    commonParameters: true,
    ...described,
    errors: described.errors ?? [...errorsOfEveryRequest, ...errorsOfCluster, ...errors],
  };
}

/** Answers of an endpoint that has one kind of them. */
export const ok = (description: string, schema: TSchema): Operation['answers'] => ({
  200: { description, schema },
});
