import { AoscError } from '@aosc/contract';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { notesOf } from '../auth/request-notes';
import { boardPath } from '../auth/routes';
import { createBoard } from '../board/create-board';
import type { ApiDependencies } from '../dependencies';

/** The page and its files come from this server and the page asks no other server. */
const boardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `/queues`: Bull Board, read-only. It shows every migration, so a credential that is limited to some indices may not
 * open it.
 */
export function createQueueBoardRoutes({ board }: Pick<ApiDependencies, 'board'>): Router {
  const router = Router({ caseSensitive: true });
  const { show, serve } = createBoard(boardPath);

  const serveBoard: RequestHandler = async (request, response, next) => {
    // Its files are there without Redis.
    if (!request.path.startsWith('/static/')) show(await board.open());
    serve(request, response, next);
  };

  const explainLostRedis: ErrorRequestHandler = async (thrown: unknown, _request, _response, next) => {
    // Throws when Redis itself has gone away.
    if (!(thrown instanceof AoscError)) await board.open();
    next(thrown);
  };

  router.use(refuseChanges, refuseLimited, setBoardPolicy, serveBoard, explainLostRedis);
  return router;
}

const refuseChanges: RequestHandler = (request, response, next) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new AoscError(
      'method_not_allowed',
      'The queues can be looked at, not changed: the scheduler makes jobs from the records of migrations',
    );
  }
  next();
};

const refuseLimited: RequestHandler = (request, _response, next) => {
  const { principal } = notesOf(request);
  if (principal?.indexPatterns !== undefined) {
    throw new AoscError(
      'forbidden',
      `[${principal.name}] is limited to some indices, and the queues show every migration`,
    );
  }
  next();
};

const setBoardPolicy: RequestHandler = (_request, response, next) => {
  response.setHeader('content-security-policy', boardPolicy);
  next();
};
