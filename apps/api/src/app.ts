import express, { type Express } from 'express';
import { auditRequests } from './auth/audit';
import { guardDoor } from './auth/authenticate';
import { boardPath } from './auth/routes';
import type { ApiDependencies } from './dependencies';
import { readJsonBody } from './http/body';
import { createErrorHandler } from './http/error-handler';
import { refuseUnknown } from './http/refuse-unknown';
import { refuseForeignPages } from './http/refuse-web-pages';
import { setSecurityHeaders } from './http/security-headers';
import { servePage } from './page/serve-page';
import { createAdminRoutes } from './routes/admin';
import { createClusterSettingsRoutes } from './routes/cluster-settings';
import { createEventRoutes } from './routes/events';
import { createHealthRoutes } from './routes/health';
import { createMigrationRoutes } from './routes/migrations';
import { createOpenApiRoutes } from './routes/openapi';
import { createQueueBoardRoutes } from './routes/queue-board';
import { createSessionRoutes } from './routes/session';

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
    refuseForeignPages(deps.hosts),
    guardDoor(deps),
  );
  app.use(createHealthRoutes(deps));
  app.use(...readJsonBody());
  app.use('/_plugins/_aosc/_admin', createAdminRoutes(deps));
  app.use('/_plugins/_aosc', createSessionRoutes(deps));
  app.use('/_plugins/_aosc', createEventRoutes(deps));
  app.use('/_plugins/_aosc', createMigrationRoutes(deps));
  app.use('/_cluster/settings', createClusterSettingsRoutes(deps));
  app.use(createOpenApiRoutes());
  app.use(boardPath, createQueueBoardRoutes(deps));
  app.use(refuseUnknown);
  app.use(createErrorHandler(deps.logger));
  return app;
}
