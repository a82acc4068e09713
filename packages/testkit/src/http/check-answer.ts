import { Type } from '@sinclair/typebox';
import {
  allowedMethods,
  createParser,
  describeErrors,
  errorRegistry,
  errorsOfEveryRequest,
  findPath,
  type OpenApiDocument,
  type ResponseObject,
} from '@aosc/contract';

/** A request to the API and what it was answered. */
export interface Exchange {
  readonly method: string;
  /** with its query */
  readonly path: string;
  readonly status: number;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  /** as it came */
  readonly body: string;
}

/** The document promises something else than the API has answered. */
class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
  constructor({ method, path, status, body }: Exchange, what: string) {
    super(`${method} ${path} -> ${status}: ${what}\n${body.slice(0, 1000)}`);
  }
}

/**
 * Judges answers by the API's own document: path, method, status, headers, type and shape. Fields that the document
 * does not name are errors, too; a path or method it does not have may only be refused.
 * @returns a function that throws {@link BrokenPromise}
 */
export function createAnswerCheck(document: OpenApiDocument): (exchange: Exchange) => void {
  const parsers = new Map<string, (value: unknown) => unknown>();
  const components = close(document.components);

  function checkShape(name: string, schema: unknown, exchange: Exchange): void {
    let parse = parsers.get(name);
    if (parse === undefined) {
      // References in the document begin at its root, so the components come along.
      parse = createParser('the answer', Type.Unsafe<unknown>({ allOf: [close(schema)], components }));
      parsers.set(name, parse);
    }
    try {
      parse(readJson(exchange));
    } catch (error) {
      throw new BrokenPromise(exchange, error instanceof Error ? error.message : String(error));
    }
  }

  function checkResponse(name: string, response: ResponseObject, exchange: Exchange): void {
    for (const header of Object.keys(response.headers ?? {})) {
      if (exchange.headers[header.toLowerCase()] === undefined) {
        throw new BrokenPromise(exchange, `the header ${header} is missing`);
      }
    }
    if (exchange.method === 'HEAD' || response.content === undefined) {
      if (exchange.body !== '') throw new BrokenPromise(exchange, 'there should be no body');
      return;
    }
    const type = exchange.headers['content-type']?.split(';')[0] ?? '';
    const content = response.content[type];
    if (content === undefined) throw new BrokenPromise(exchange, `content type [${type}] is not described`);
    if (type === 'application/json') checkShape(name, content.schema, exchange);
  }

  function checkRefusal(exchange: Exchange, own: 'no_handler' | 'method_not_allowed'): void {
    const codes = [own, ...errorsOfEveryRequest].filter(
      (code) => errorRegistry[code].status === exchange.status,
    );
    if (codes.length === 0) throw new BrokenPromise(exchange, 'this may only be refused');
    checkResponse(codes.join(), describeErrors(codes), exchange);
  }

  return (exchange) => {
    const pathname = exchange.path.split('?')[0] ?? '';
    const template = findPath(pathname);
    if (template === undefined) {
      // The board is no part of the document: there a method that it does not have is refused with those it has.
      const hasOthers = exchange.status === 405 && exchange.headers['allow'] !== undefined;
      checkRefusal(exchange, hasOthers ? 'method_not_allowed' : 'no_handler');
      return;
    }
    const allowed = allowedMethods(pathname);
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase();
    const operation = document.paths[template]?.[method];
    if (operation === undefined) {
      const namesMethods = exchange.method === 'OPTIONS' && exchange.status === 200;
      if (exchange.status === 405 || namesMethods) checkAllow(exchange, allowed);
      if (namesMethods) return;
      checkRefusal(exchange, 'method_not_allowed');
      return;
    }
    const response = operation.responses[exchange.status];
    if (response === undefined) throw new BrokenPromise(exchange, 'this status is not described');
    checkResponse(`${operation.operationId} ${exchange.status}`, response, exchange);
  };
}

function checkAllow(exchange: Exchange, allowed: readonly string[]): void {
  const given = (exchange.headers['allow'] ?? '').split(/, */).sort();
  if (given.join() !== allowed.join()) {
    throw new BrokenPromise(exchange, `Allow should name ${allowed.join(', ')}`);
  }
}

function readJson(exchange: Exchange): unknown {
  try {
    return JSON.parse(exchange.body);
  } catch {
    throw new BrokenPromise(exchange, 'the body is not JSON');
  }
}

/** The schema with every object closed: what it does not name is refused. Parts of an `allOf` name only some. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => close(part));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]): [string, unknown] => [
    key,
    key === 'allOf' ? value : close(value),
  ]);
  const isOpen =
    'properties' in schema &&
    'type' in schema &&
    schema.type === 'object' &&
    !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isOpen ? { additionalProperties: false } : {}) };
}
