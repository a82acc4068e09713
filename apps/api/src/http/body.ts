import { AoscError, describeLostDecimal, findLostDecimal, shorten } from '@aosc/contract';
import express, { type RequestHandler } from 'express';
import { isNestedDeeper } from './nesting';

const maxBody = '1mb';
/** OpenSearch nests the clauses of a query 20 deep, which is some 80 levels of JSON. */
const maxDepth = 200;

/** Where a request has values whose numbers a script tells apart by their kind. */
const paramsPath = ['transform_script', 'params'] as const;

/** Parses JSON bodies. A body of another type is refused, never taken for an empty one. */
export function readJsonBody(): readonly RequestHandler[] {
  // For as long as the request is there: what the parser makes of a number does not tell how it was written.
  const texts = new WeakMap<object, Buffer>();
  const verify: Verify = (request, _response, bytes, charset) => {
    refuseOtherCharsets(charset);
    texts.set(request, bytes);
  };
  const refuseLostDecimals: RequestHandler = (request, _response, next) => {
    const text = texts.get(request);
    const lost = text && hasParams(bodyOf(request)) && findLostDecimal(text.toString('utf8'), paramsPath);
    if (lost) {
      const problem = describeLostDecimal(paramsPath.join('.'), lost);
      throw new AoscError('validation_failed', `Validation Failed: 1: ${shorten(problem)};`);
    }
    next();
  };
  return [refuseOtherTypes, express.json({ limit: maxBody, verify }), refuseDeepBodies, refuseLostDecimals];
}

type Verify = NonNullable<NonNullable<Parameters<typeof express.json>[0]>['verify']>;

function hasParams(body: unknown): boolean {
  return paramsPath.reduce<unknown>((value, name) => ownField(value, name), body) !== undefined;
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

const refuseOtherTypes: RequestHandler = (request, _response, next) => {
  // null: there is no body; false: there is one of another type, or of none
  if (request.is('application/json') !== false) {
    next();
    return;
  }
  if (request.headers['content-length'] === '0') {
    next();
    return;
  }
  const type = request.headers['content-type'];
  const given = type === undefined ? 'missing' : `[${shorten(type)}], which is not supported`;
  throw new AoscError('unsupported_media_type', `Content-Type header is ${given}; send [application/json]`);
};

/** JSON is UTF-8 (RFC 8259, 8.1). The parser knows others as well, UTF-7 among them: whoever looks at a body on its way sees another text. */
function refuseOtherCharsets(charset: string): void {
  if (charset === 'utf-8') return;
  throw new AoscError(
    'unsupported_media_type',
    `The charset [${shorten(charset)}] is not supported; send UTF-8`,
  );
}

/** Whatever walks through a body, here and in OpenSearch, does so by recursion: the stack must be large enough. */
const refuseDeepBodies: RequestHandler = (request, _response, next) => {
  if (isNestedDeeper(bodyOf(request), maxDepth)) {
    throw new AoscError('parsing_failed', `The request body is nested more than ${maxDepth} levels deep`);
  }
  next();
};

/** The parsed body; undefined when there was none. */
export function bodyOf(request: { readonly body?: unknown }): unknown {
  return request.body;
}
