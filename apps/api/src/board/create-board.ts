import type { BoardQueues } from '@aosc/queue';
import { createBullBoard } from '@bull-board/api';
import type {
  AppViewRoute,
  ControllerHandlerReturnType,
  BeforeHookResult,
  HookContext,
} from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { Express, RequestHandler } from 'express';

/**
 * Serves Bull Board inside the API: the API's own handler gets the errors, and the page asks no other host for
 * anything.
 */
class BoardAdapter extends ExpressAdapter {
  constructor(basePath: string) {
    super();
    this.setBasePath(basePath);
    this.app.disable('x-powered-by');
    this.app.disable('etag');
    this.app.set('case sensitive routing', true);
  }

  /** What the board is mounted as. */
  get express(): Express {
    return this.app;
  }

  /** The board's own handler would answer 500 to everything. Express passes on what its handlers throw. */
  override setErrorHandler(): this {
    this.errorHandler = (error): ControllerHandlerReturnType => {
      throw error;
    };
    return this;
  }

  override setEntryRoute(entry: AppViewRoute): this {
    this.app.get(entry.route, (_request, response, next) => {
      const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      response.render(name, params, (error: Error | null, html) => {
        if (error === null) response.type('html').send(withoutOtherHosts(html));
        else next(error);
      });
    });
    return this;
  }
}

/** The page's template loads fonts from a public host. */
export function withoutOtherHosts(html: string): string {
  return html.replace(/<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>/g, '');
}

/** The page asks for everything it shows this often. */
const pollSeconds = 5;
/** Jobs of one answer; the board's page asks for 10 to 50. */
const maxJobsPerPage = 200;

interface Board {
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
