import express, { type Express } from 'express';
import { auditRequests } from './auth/audit';
import { guardDoor, refuseChangedCredential } from './auth/authenticate';
import { boardPath } from './auth/routes';
import type { ApiDependencies } from './dependencies';
import { readJsonBody } from './http/body';
import { createErrorHandler } from './http/error-handler';
import { mount } from './http/mount';
import { refuseUnknown } from './http/refuse-unknown';
import { refuseForeignPages } from './http/refuse-web-pages';
import { setSecurityHeaders } from './http/security-headers';
import { servePage } from './page/serve-page';
import { handleAdministration } from './routes/admin';
import { handleSettings } from './routes/cluster-settings';
import { handleEvents } from './routes/events';
import { handleHealth, handleOpenApi } from './routes/health';
import { handleMigrations } from './routes/migrations';
import { createQueueBoardRoutes } from './routes/queue-board';
import { handleReads } from './routes/reads';
import { handleSessions } from './routes/session';

/** The REST contract on top of what it talks through. */
export function createApp(deps: ApiDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  // `readQuery` reads the parameters; Express's own parser would make objects and lists of them.
  app.set('query parser', false);
  // Express takes the client's address from X-Forwarded-For only when the request comes from one of these.
  app.set('trust proxy', deps.isTrustedProxy);
  app.use(
    ...setSecurityHeaders(deps.isBehindTls),
    servePage(deps.page, deps.hosts, deps.limits.addresses),
    auditRequests(deps.audit),
    refuseForeignPages(deps.hosts, deps.limits.foreignPages),
    guardDoor(deps),
  );
  mount(app, handleHealth(deps));
  app.use(...readJsonBody(), refuseChangedCredential(deps));
  mount(app, {
    ...handleMigrations(deps),
    ...handleReads(deps),
    ...handleEvents(deps),
    ...handleAdministration(deps),
    ...handleSettings(deps),
    ...handleSessions(deps),
    ...handleOpenApi(),
  });
  app.use(boardPath, createQueueBoardRoutes(deps));
  app.use(refuseUnknown);
  app.use(createErrorHandler(deps.logger));
  return app;
}
