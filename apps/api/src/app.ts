import express, { type Express } from 'express';
import { auditRequests } from './auth/audit';
import { requireRole } from './auth/authenticate';
import { boardPath } from './auth/routes';
import type { ApiDependencies } from './dependencies';
import { readJsonBody } from './http/body';
import { createErrorHandler } from './http/error-handler';
import { refuseUnknown } from './http/refuse-unknown';
import { refuseForeignPages } from './http/refuse-web-pages';
import { setSecurityHeaders } from './http/security-headers';
import { limitRate } from './limits/limit-rate';
import { createTally } from './limits/tally';
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
  // Parameters are read by `readQuery`; Express's own parser would make objects and lists of them.
  app.set('query parser', false);
  const turnedAway = createTally<'429'>(60_000, (counts) =>
    deps.logger.info('requests came faster than their address may send them', {
      event: 'requests_refused',
      numberByStatus: counts,
    }),
  );
  const rate = limitRate(
    deps.ratePerSecond,
    () => performance.now(),
    () => turnedAway.note('429'),
  );
  // The limit goes before the audit log: a flood of starts shall not be a flood of lines.
  app.use(
    setSecurityHeaders,
    rate.byAddress,
    servePage(deps.page, deps.hosts),
    auditRequests(deps.audit, deps.refusedLogins),
    refuseForeignPages(deps.hosts),
  );
  if (deps.authenticate !== undefined)
    app.use(requireRole(deps.authenticate, rate.chargeLogin, deps.sessions), rate.byCredential);
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
