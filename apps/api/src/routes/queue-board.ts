import { AoscError } from '@aosc/contract';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { hasRole } from '../auth/principal';
import { principalOf } from '../auth/request-notes';
import { boardPath } from '../auth/routes';
import { createBoard } from '../board/create-board';
import type { ApiDependencies } from '../dependencies';

/**
 * The page and its files come from this server and it asks nobody else. Styles may stand in the page: its parts bring
 * some along when they are first shown.
 */
const boardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `/queues`: Bull Board. A caller without the role admin sees it without its buttons. It shows every migration, so a
 * credential that is limited to some indices does not see it at all.
 */
export function createQueueBoardRoutes({ board }: Pick<ApiDependencies, 'board'>): Router {
  const router = Router({ caseSensitive: true });
  const looking = createBoard(boardPath, { readOnly: true });
  const changing = createBoard(boardPath, { readOnly: false });

  /** They are the same for both, and are there without Redis. */
  const serveFiles: RequestHandler = (request, response, next) => {
    if (request.path.startsWith('/static/')) looking.serve(request, response, next);
    else next();
  };

  const serveBoard: RequestHandler = async (request, response, next) => {
    const queues = await board.open();
    const principal = principalOf(request);
    const { show, serve } = principal === undefined || hasRole(principal, 'admin') ? changing : looking;
    show(queues);
    serve(request, response, next);
  };

  const judgeErrors: ErrorRequestHandler = async (thrown: unknown, _request, _response, next) => {
    // Throws when it is Redis that has gone away.
    if (!(thrown instanceof AoscError)) await board.open();
    next(isRefusal(thrown) ? new AoscError('conflict', thrown.message, { cause: thrown }) : thrown);
  };

  router.use(refuseLimited, setBoardPolicy, serveFiles, serveBoard, judgeErrors);
  return router;
}

const refuseLimited: RequestHandler = (request, _response, next) => {
  const principal = principalOf(request);
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

/** What `Job.remove` of BullMQ throws for a job that somebody works at by now: the one refusal without a number. */
const locked = /^Job \S+ could not be removed because it is locked/;

/** BullMQ numbers its refusals below 0: a job that has gone, or is in another state by now. */
function isRefusal(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false;
  return (
    ('code' in thrown && typeof thrown.code === 'number' && thrown.code < 0) || locked.test(thrown.message)
  );
}
