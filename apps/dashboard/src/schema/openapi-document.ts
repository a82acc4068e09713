import { checkSchema, isObject, type Problem, type Schema } from './check-schema';

/** The API's description of itself, as far as the page looks into it. */
export interface ApiDocument {
  /** What an answer does not keep of its promise; nothing is said of answers that are not described. */
  checkAnswer(place: Place, status: number, body: unknown): readonly Problem[];
  /** What is wrong with the body of a request. */
  checkRequest(place: Place, body: unknown): readonly Problem[];
  /** A schema with a name. */
  schema(name: string): Schema | undefined;
  /** The schema of a request's body. */
  requestSchema(place: Place): Schema | undefined;
  /** What a reference stands for, or the schema itself. */
  resolve(schema: Schema): Schema;
}

export interface Place {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** template with `{name}` */
  readonly path: string;
}

/** @param document of `/openapi.json` */
export function readApiDocument(document: unknown): ApiDocument {
  const named = (name: string): Schema | undefined => at(document, 'components', 'schemas', name);
  const resolve = (reference: string): Schema | undefined => {
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(reference) ?? [];
    return name === undefined ? undefined : named(name);
  };
  const requestSchema = ({ method, path }: Place): Schema | undefined =>
    at(document, 'paths', path, method, 'requestBody', 'content', 'application/json', 'schema');
  return {
    schema: named,
    requestSchema,
    resolve: (schema) => (typeof schema['$ref'] === 'string' ? (resolve(schema['$ref']) ?? schema) : schema),
    checkAnswer({ method, path }, status, body) {
      const content = ['content', 'application/json', 'schema'];
      const schema = at(document, 'paths', path, method, 'responses', String(status), ...content);
      return schema === undefined ? [] : checkSchema(body, schema, resolve);
    },
    checkRequest(place, body) {
      const schema = requestSchema(place);
      return schema === undefined ? [] : checkSchema(body, schema, resolve);
    },
  };
}

function at(value: unknown, ...names: readonly string[]): Schema | undefined {
  let inner = value;
  for (const name of names) {
    if (!isObject(inner)) return undefined;
    inner = new Map(Object.entries(inner)).get(name);
  }
  return isObject(inner) ? inner : undefined;
}
