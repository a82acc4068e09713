import { createOpenApiDocument, type OpenApiDocument } from '@aosc/contract';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { format } from 'prettier';

type Schema = Readonly<Record<string, unknown>>;

/** Bodies that have no name in the document, by the names that the client gives them. */
const inPlace = {
  StartRequest: ['/_plugins/_aosc/{index}/_start', 'post', 'request'],
  PlanRequest: ['/_plugins/_aosc/{index}/_plan', 'post', 'request'],
  CreateTargetRequest: ['/_plugins/_aosc/{index}/_create_target', 'post', 'request'],
  PreviewRequest: ['/_plugins/_aosc/{index}/_preview_transform', 'post', 'request'],
  TransformPreview: ['/_plugins/_aosc/{index}/_preview_transform', 'post', 'answer'],
  Verification: ['/_plugins/_aosc/{index}/_verify', 'get', 'answer'],
  SetAside: ['/_plugins/_aosc/{index}/_set_aside', 'get', 'answer'],
  RetryAnswer: ['/_plugins/_aosc/{index}/_set_aside/_retry', 'post', 'answer'],
  Timeline: ['/_plugins/_aosc/{index}/_timeline', 'get', 'answer'],
  Settings: ['/_cluster/settings', 'get', 'answer'],
  SettingsChanged: ['/_cluster/settings', 'put', 'answer'],
} as const;

/** Answers, and what they are made of: the client looks at these when it runs. */
const answers = [
  'CancelAnswer',
  'CutoverAnswer',
  'ErrorBody',
  'Events',
  'IndexList',
  'LeaseCleanup',
  'ListAnswer',
  'MigrationIndices',
  'MigrationStatus',
  'Plan',
  'Readiness',
  'RetryAnswer',
  'SetAside',
  'Settings',
  'SettingsChanged',
  'ShardDetail',
  'StartAnswer',
  'StartCheck',
  'StateClearing',
  'TargetCreation',
  'Timeline',
  'TransformPreview',
  'Verification',
];

/**
 * Files of `src/generated`, by name: the types of requests and answers, and the schemas that answers are held to.
 * @param prettierOptions the project's own
 */
export async function generateFiles(prettierOptions: object): Promise<ReadonlyMap<string, string>> {
  const schemas = readSchemas(createOpenApiDocument());
  const tidy = (text: string) => format(text, { ...prettierOptions, parser: 'typescript' });
  return new Map([
    ['types.ts', await tidy(note + (await describeTypes(schemas)))],
    ['schemas.ts', await tidy(note + describeSchemas(schemas))],
  ]);
}

const note =
  '// Made from the OpenAPI document by `npm run generate:client`; a test fails when it is stale.\n\n';

function readSchemas({ components, paths }: OpenApiDocument): Readonly<Record<string, Schema>> {
  const named = Object.entries(inPlace).map(([name, [path, method, side]]): [string, unknown] => {
    const operation = paths[path]?.[method];
    const body = side === 'request' ? operation?.requestBody : operation?.responses['200'];
    return [name, jsonSchemaOf(body)];
  });
  const all = { ...components.schemas, ...Object.fromEntries(named), Events: eventsOf(paths) };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]): [string, Schema] => [name, asSchema(openMaps(schema))]),
  );
}

function jsonSchemaOf(body: unknown): Schema {
  const { content } = asSchema(body);
  return asSchema(asSchema(asSchema(content)['application/json'])['schema']);
}

/** The data of each event by its name. An event has one of them. */
function eventsOf(paths: OpenApiDocument['paths']): Schema {
  const answer = paths['/_plugins/_aosc/_events']?.['get']?.responses['200'];
  const { schema } = asSchema(asSchema(asSchema(answer)['content'])['text/event-stream']);
  return { type: 'object', properties: asSchema(asSchema(schema)['x-events']) };
}

function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null) throw new Error('the document has another shape');
  return value as Schema;
}

/** Applies `change` to a schema and to each one in it, from the inside out. */
function changeAll(value: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((part: unknown) => changeAll(part, change));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) => [key, changeAll(part, change)]);
  return change(Object.fromEntries(parts) as Schema);
}

/**
 * TypeScript can't say "these names, and any others" without forbidding half of it: maps keep only their values' type.
 */
function openMaps(schema: unknown): unknown {
  return changeAll(schema, (part) => {
    const { properties, ...rest } = part;
    const takesOthers = 'additionalProperties' in part && part['additionalProperties'] !== false;
    return properties === undefined || !takesOthers ? part : rest;
  });
}

async function describeTypes(schemas: Readonly<Record<string, Schema>>): Promise<string> {
  const document = { openapi: '3.1.1', info: { title: 'AOSC', version: '0' }, paths: {} };
  const source = JSON.stringify({ ...document, components: { schemas } });
  // A field with a default may be left out of a request all the same.
  const ast = await openapiTypeScript(source, { defaultNonNullable: false, immutable: true });
  const body = /export interface components \{\s+schemas: (\{.*?\n {4}\});/s.exec(astToString(ast))?.[1];
  if (body === undefined) throw new Error('openapi-typescript writes the schemas in another way');
  return (
    '/** Requests and answers of the API as they are on the wire, by the names of the OpenAPI document. */\n' +
    `export interface Schemas ${body.replaceAll('components["schemas"]', 'Schemas')}\n`
  );
}

/** Words that are for readers, or that would refuse what a newer API adds. */
const leftOut = new Set(['description', 'default', 'examples', 'title']);

function describeSchemas(schemas: Readonly<Record<string, Schema>>): string {
  const slim = (schema: unknown): unknown =>
    changeAll(schema, (part) =>
      Object.fromEntries(
        Object.entries(part)
          .filter(([key, value]) => !leftOut.has(key) || typeof value === 'object')
          .filter(([key, value]) => key !== 'additionalProperties' || value !== false)
          .map(([key, value]) => [
            key,
            key === '$ref' ? String(value).replace('components/schemas', '$defs') : value,
          ]),
      ),
    );
  const found = new Map<string, unknown>();
  const waiting = [...answers];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const schema = slim(schemas[name]);
    found.set(name, schema);
    for (const [, other = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) waiting.push(other);
  }
  const sorted = Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return (
    '/** What answers are held to. Fields that are not named here are let through. */\n' +
    `export const answerSchemas = ${JSON.stringify(sorted)} as const;\n`
  );
}
