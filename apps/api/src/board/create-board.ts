import type { BoardQueues } from '@aosc/queue';
import { createBullBoard } from '@bull-board/api';
import type { BeforeHookResult, HookContext } from '@bull-board/api/typings/app';
import type { RequestHandler } from 'express';
import { BoardAdapter } from './board-adapter';

/** The page asks for everything it shows this often. */
const pollSeconds = 5;
/** Jobs of one answer; the board's page asks for 10 to 50. */
const maxJobsPerPage = 200;

export interface Board {
  /** Shows these queues from now on. */
  readonly show: (queues: Pick<BoardQueues, 'list'>) => void;
  readonly serve: RequestHandler;
}

/** Bull Board without its buttons. @param path what it is mounted at */
export function createBoard(path: string): Board {
  const adapter = new BoardAdapter(path);
  const { replaceQueues } = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: {
      handlerHooks: { before: boundJobs },
      uiConfig: {
        boardTitle: 'AOSC queues',
        hideDocsLink: true,
        // A user who looks into queues needs no version, system or memory of the server.
        hideRedisDetails: true,
        pollingInterval: { forceInterval: pollSeconds },
        // It would cost one list of all Redis clients for each queue and each look.
        showWorkers: false,
      },
    },
  });
  return {
    show: (queues) => replaceQueues(queues.list()),
    serve: adapter.express,
  };
}

function boundJobs({ request }: Pick<HookContext, 'request'>): BeforeHookResult {
  const { jobsPerPage } = request.query;
  if (jobsPerPage === undefined || Number(jobsPerPage) <= maxJobsPerPage) return { allow: true };
  return { allow: false, status: 400, message: `jobsPerPage must be at most ${maxJobsPerPage}` };
}
