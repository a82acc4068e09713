import type { BoardQueues } from '@aosc/queue';
import { createBullBoard } from '@bull-board/api';
import type { RequestHandler } from 'express';
import { decideAction } from './board-actions';
import { BoardAdapter } from './board-adapter';

/** The page asks for everything it shows this often. */
const pollSeconds = 5;

export interface Board {
  /** Shows these queues from now on. */
  readonly show: (queues: Pick<BoardQueues, 'list'>) => void;
  readonly serve: RequestHandler;
}

/** @param path what it is mounted at */
export function createBoard(path: string, { readOnly }: { readonly readOnly: boolean }): Board {
  const adapter = new BoardAdapter(path);
  const { replaceQueues } = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: {
      handlerHooks: { before: decideAction },
      uiConfig: {
        boardTitle: 'AOSC queues',
        hideDocsLink: true,
        pollingInterval: { forceInterval: pollSeconds },
        // It costs one list of all of Redis's clients for each queue and each look.
        showWorkers: false,
      },
    },
  });
  return {
    show: (queues) => replaceQueues(queues.list(readOnly)),
    serve: adapter.express,
  };
}
