import { Type } from '@sinclair/typebox';
import { HealthAnswerSchema, ReadinessAnswerSchema } from '../answers';
import { errorsOfAccess, errorsOfEveryRequest, type Operation } from './operation';

const common = { method: 'get', tag: 'service', parameters: [], commonParameters: false } as const;

/** What belongs to the service itself, and not to the contract. */
export const getHealth: Operation = {
  ...common,
  path: '/healthz',
  operationId: 'get_health',
  role: 'open',
  summary: 'Whether the process runs',
  answers: { 200: { description: 'It runs.', schema: HealthAnswerSchema } },
  errors: [...errorsOfAccess, 'illegal_argument'],
};

export const getReadiness: Operation = {
  ...common,
  path: '/readyz',
  operationId: 'get_readiness',
  role: 'open',
  summary: 'Whether the process can work, and if not why',
  answers: {
    200: { description: 'It can.', schema: ReadinessAnswerSchema },
    503: { description: 'It can not.', schema: ReadinessAnswerSchema },
  },
  errors: [...errorsOfAccess, 'illegal_argument', 'internal'],
};

export const getMetrics: Operation = {
  ...common,
  path: '/metrics',
  operationId: 'get_metrics',
  role: 'read',
  summary: "The process's figures, as Prometheus reads them",
  answers: { 200: { description: 'The figures.', schema: Type.String(), text: 'plain' } },
  errors: [...errorsOfAccess, 'illegal_argument', 'internal'],
};

export const getOpenApi: Operation = {
  ...common,
  path: '/openapi.json',
  operationId: 'get_openapi',
  role: 'read',
  summary: 'This document',
  answers: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      schema: Type.Unsafe({
        type: 'object',
        properties: { openapi: { type: 'string', pattern: '^3\\.1\\.' } },
        required: ['openapi', 'info', 'paths'],
        additionalProperties: true,
      }),
    },
  },
  errors: errorsOfEveryRequest,
};
