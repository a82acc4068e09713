import { AoscError } from '@aosc/contract';
import express, { type RequestHandler } from 'express';

const maxBody = '1mb';

/** Parses JSON bodies. A body of another type is refused, never taken for an empty one. */
export function readJsonBody(): readonly RequestHandler[] {
  return [refuseOtherTypes, express.json({ limit: maxBody })];
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
  const given = type === undefined ? 'missing' : `[${type}], which is not supported`;
  throw new AoscError('unsupported_media_type', `Content-Type header is ${given}; send [application/json]`);
};

/** The parsed body; undefined when there was none. */
export function bodyOf(request: { readonly body?: unknown }): unknown {
  return request.body;
}
