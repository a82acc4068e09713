import { allowedMethods, AoscError, shorten } from '@aosc/contract';
import type { RequestHandler } from 'express';

/**
 * Answers requests that no endpoint has taken: OPTIONS with the methods of the path, 405 where the path has other
 * methods, 404 otherwise. The reasons are OpenSearch's (`RestController`).
 */
export const refuseUnknown: RequestHandler = (request, response) => {
  const { method } = request;
  const uri = shorten(request.originalUrl);
  const allowed = allowedMethods(request.path);
  if (allowed.length === 0) {
    throw new AoscError('no_handler', `no handler found for uri [${uri}] and method [${method}]`);
  }
  response.setHeader('allow', allowed.join(', '));
  if (method === 'OPTIONS') {
    response.type('text/plain').send(allowed.join(', '));
    return;
  }
  throw new AoscError(
    'method_not_allowed',
    `Incorrect HTTP method for uri [${uri}] and method [${method}], allowed: [${allowed.join(', ')}]`,
  );
};
