import {
  AoscError,
  describeLostDecimal,
  findLostDecimal,
  isObject,
  ownValue,
  shorten,
  validationFailed,
} from '@aosc/contract';
import express, { type RequestHandler } from 'express';

/**
 * Whether objects and lists lie more than `levels` deep in each other. A body of a megabyte can be half a million levels
 * deep; the recursion ends after `levels`.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}

const maxBody = '1mb';
/** OpenSearch nests the clauses of a query 20 deep, which is some 80 levels of JSON. */
const maxDepth = 200;

/** Here a script sees whether a number is an integer or a fraction. */
const paramsPath = ['transform_script', 'params'] as const;

/** Parses JSON bodies. A body of another type is refused, never taken for an empty one. */
export function readJsonBody(): readonly RequestHandler[] {
  // Kept as long as the request lives: the parsed number does not show how it was written.
  const texts = new WeakMap<object, Buffer>();
  const parse = express.json({
    limit: maxBody,
    verify(request, _response, bytes, charset) {
      refuseOtherCharsets(charset);
      texts.set(request, bytes);
    },
  });
  const refuseUnsafe: RequestHandler = (request, _response, next) => {
    const body = bodyOf(request);
    // All code that walks through a body, here and in OpenSearch, recurses, and its stack must be large enough.
    if (isNestedDeeper(body, maxDepth)) {
      throw new AoscError('parsing_failed', `The request body is nested more than ${maxDepth} levels deep`);
    }
    const text = hasParams(body) ? texts.get(request)?.toString('utf8') : undefined;
    const lost = text === undefined ? undefined : findLostDecimal(text, paramsPath);
    if (lost !== undefined)
      throw validationFailed([shorten(describeLostDecimal(paramsPath.join('.'), lost))]);
    next();
  };
  return [refuseOtherTypes, parse, refuseUnsafe];
}

function hasParams(body: unknown): boolean {
  const script = isObject(body) ? ownValue(body, paramsPath[0]) : undefined;
  return isObject(script) && Object.hasOwn(script, paramsPath[1]);
}

const refuseOtherTypes: RequestHandler = (request, _response, next) => {
  const { 'content-type': type, 'content-length': length } = request.headers;
  // null: there is no body; false: the body has another type, or none
  if (request.is('application/json') === false && length !== '0') {
    const given = type === undefined ? 'missing' : `[${shorten(type)}], which is not supported`;
    throw new AoscError('unsupported_media_type', `Content-Type header is ${given}; send [application/json]`);
  }
  next();
};

/**
 * JSON is UTF-8 (RFC 8259, 8.1). The parser knows other charsets as well, UTF-7 among them, and a proxy that inspects
 * the body would see another text.
 */
function refuseOtherCharsets(charset: string): void {
  if (charset === 'utf-8') return;
  throw new AoscError(
    'unsupported_media_type',
    `The charset [${shorten(charset)}] is not supported; send UTF-8`,
  );
}

/** The parsed body; undefined when there was none. */
export function bodyOf(request: { readonly body?: unknown }): unknown {
  return request.body;
}
