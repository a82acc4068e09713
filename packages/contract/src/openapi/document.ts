import { type ErrorCode, errorRegistry } from '../errors';
import { collectComponents, toDocumentSchema } from './components';
import type { Answer, Operation, Parameter } from './operation';
import { operations as allOperations } from './operations';
import { commonParameters } from './parameters';
import { serviceVersion } from '../version';

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** An OpenAPI 3.1 document, as far as the project itself looks into it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly [more: string]: unknown };
  readonly servers: readonly object[];
  readonly security: readonly object[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<string, OperationObject>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const tags = [
  { name: 'migrations', description: 'Start, watch and cancel migrations.' },
  { name: 'administration', description: 'Clean up after migrations that went wrong.' },
  { name: 'settings', description: 'The dynamic aosc.* settings.' },
  { name: 'service', description: 'The process itself.' },
];

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic' },
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'ApiKey followed by a blank and the key',
  },
};

/** The document of the API, from the schemas that validate. @param operations all, unless a test looks at some */
export function createOpenApiDocument(operations: readonly Operation[] = allOperations): OpenApiDocument {
  const items = new Map<string, Record<string, OperationObject>>();
  for (const operation of operations) {
    const item = items.get(operation.path);
    items.set(operation.path, { ...item, [operation.method]: describeOperation(operation) });
  }
  const paths = Object.fromEntries(items);
  const used = new Set<string>(operations.map(({ tag }) => tag));
  return {
    openapi: '3.1.1',
    info: {
      title: 'AOSC',
      version: serviceVersion,
      description:
        'Moves a live OpenSearch index into a new one while applications go on writing, then swaps an alias.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    // The installation decides which of them is needed; without a file of credentials, none.
    security: [{}, { basic: [] }, { api_key: [] }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { schemas: collectComponents(paths), securitySchemes },
  };
}

function describeOperation(operation: Operation): OperationObject {
  const { operationId, tag, summary, description, body } = operation;
  const parameters = [...operation.parameters, ...(operation.commonParameters ? commonParameters : [])];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isOptional !== true,
            description: body.description,
            ...json(body.schema),
          },
        }),
    responses: describeResponses(operation),
  };
}

function describeParameter({ name, in: place, description, schema }: Parameter): object {
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, ...required, description, schema: toDocumentSchema(schema) };
}

function describeResponses({ operationId, answers, errors }: Operation): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]),
  );
  for (const status of new Set(errors.map((code) => errorRegistry[code].status))) {
    if (responses[status] !== undefined)
      throw new Error(`${operationId}: two kinds of answers with ${status}`);
    responses[status] = describeErrors(errors.filter((code) => errorRegistry[code].status === status));
  }
  return responses;
}

function describeAnswer({ description, headers, schema, text }: Answer): ResponseObject {
  const named = Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, words]): [string, object] => [
      name,
      { description: words, schema: { type: 'string' } },
    ]),
  );
  return {
    description,
    ...(headers === undefined ? {} : { headers: named }),
    ...(schema === undefined
      ? {}
      : content(text === undefined ? 'application/json' : `text/${text}`, schema)),
  };
}

/** Errors of one status. All have the same shape; the types they can have are named. */
export function describeErrors(codes: readonly ErrorCode[]): ResponseObject {
  const types = [...new Set(codes.map((code) => errorRegistry[code].type))];
  const statuses = [...new Set(codes.map((code) => errorRegistry[code].status))];
  const narrowed = {
    allOf: [
      { $ref: '#/components/schemas/ErrorBody' },
      {
        properties: {
          status: { enum: statuses },
          error: { properties: { type: { enum: types } } },
        },
      },
    ],
  };
  return { description: types.join(', '), content: { 'application/json': { schema: narrowed } } };
}

const json = (schema: unknown) => content('application/json', schema);
const content = (type: string, schema: unknown) => ({
  content: { [type]: { schema: toDocumentSchema(schema) } },
});
