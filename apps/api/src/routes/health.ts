import { Router } from 'express';
import type { ApiDependencies } from '../dependencies';

/** Whether the process runs, whether it can work and if not why, and its figures. */
export function createHealthRoutes({ readiness, metrics }: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/healthz', (_request, response) => {
    response.json({ ok: true });
  });
  router.get('/readyz', async (_request, response) => {
    const state = await readiness();
    response.status(state.ok ? 200 : 503).json(state);
  });
  router.get('/metrics', async (_request, response) => {
    const text = await metrics.render();
    // not `type()`: it would replace the charset and the version of the format
    response.setHeader('content-type', metrics.contentType);
    response.end(text);
  });
  return router;
}
