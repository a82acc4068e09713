import { Type } from '@sinclair/typebox';
import { HealthAnswerSchema, ReadinessAnswerSchema } from '../answers';
import { SessionAnswerSchema } from '../session';
import { errorsOfAccess, errorsOfEveryRequest, ok, type Operation, operation } from './operation';

/** What belongs to the service itself asks OpenSearch nothing, or has its own answer for that. Beside the contract. */
const own = (
  method: Operation['method'],
  path: string,
  described: Omit<Parameters<typeof operation>[2], 'tag'>,
): Operation =>
  operation(method, path, {
    errors: [...errorsOfAccess, 'illegal_argument'],
    ...described,
    tag: 'service',
    commonParameters: false,
  });

const session = '/_plugins/_aosc/_session';
const errorsOfFigures = [...errorsOfAccess, 'illegal_argument', 'internal'] as const;

export const service: readonly Operation[] = [
  own('get', session, {
    operationId: 'aosc_get_session',
    role: 'open',
    summary: 'Show who the caller is',
    answers: ok('The caller.', SessionAnswerSchema),
  }),
  own('post', session, {
    operationId: 'aosc_open_session',
    action: 'sign_in',
    summary: 'Sign in',
    description:
      'Takes the credentials of this request, and answers with a cookie that stands for them: HttpOnly, SameSite=Strict, good for 15 minutes after its last use and eight hours at most. Requests that change something also need the header x-aosc-csrf.',
    answers: {
      200: {
        description: 'The session.',
        schema: SessionAnswerSchema,
        headers: { 'Set-Cookie': 'The session.' },
      },
    },
    errors: errorsOfEveryRequest,
  }),
  own('delete', session, {
    operationId: 'aosc_end_session',
    role: 'open',
    action: 'sign_out',
    summary: 'Sign out',
    answers: ok('The session has ended.', SessionAnswerSchema),
  }),
  own('get', '/healthz', {
    operationId: 'get_health',
    role: 'open',
    summary: 'Whether the process runs',
    answers: ok('It runs.', HealthAnswerSchema),
  }),
  own('get', '/readyz', {
    operationId: 'get_readiness',
    role: 'open',
    summary: 'Whether the process can work, and if not why',
    answers: {
      200: { description: 'It can work.', schema: ReadinessAnswerSchema },
      503: { description: 'It can not work now.', schema: ReadinessAnswerSchema },
    },
    errors: errorsOfFigures,
  }),
  own('get', '/metrics', {
    operationId: 'get_metrics',
    summary: "The process's figures, as Prometheus reads them",
    answers: { 200: { description: 'The figures.', schema: Type.String(), text: 'plain' } },
    errors: errorsOfFigures,
  }),
  own('get', '/openapi.json', {
    operationId: 'get_openapi',
    summary: 'This document',
    answers: ok(
      'An OpenAPI 3.1 document.',
      Type.Unsafe({
        type: 'object',
        properties: { openapi: { type: 'string', pattern: '^3\\.1\\.' } },
        required: ['openapi', 'info', 'paths'],
        additionalProperties: true,
      }),
    ),
    errors: errorsOfEveryRequest,
  }),
];
