import type { AppViewRoute, ControllerHandlerReturnType } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { Express } from 'express';

/**
 * Serves Bull Board inside the API: the API's own handler gets the errors, and the page asks no other host for
 * anything.
 */
export class BoardAdapter extends ExpressAdapter {
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
