import type { HealthAnswer, ReadinessAnswer } from '@aosc/contract';
import { Router } from 'express';
import { createRenderer, type Readiness, sumUpNodes } from '@aosc/telemetry';
import { principalOf } from '../auth/request-notes';
import type { ApiDependencies } from '../dependencies';

/** Whether the process runs, whether it can work and if not why, and its figures. */
export function createHealthRoutes({ readiness, metrics, authenticate, nodes }: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });
  const render = createRenderer(metrics, readiness, nodes);
  router.get('/healthz', (_request, response) => {
    response.json({ ok: true, opensearch: sumUpNodes(nodes()) } satisfies HealthAnswer);
  });
  router.get('/readyz', async (request, response) => {
    const state: ReadinessAnswer = await readiness();
    const known = authenticate === undefined || principalOf(request) !== undefined;
    response.status(state.ok ? 200 : 503).json(known ? state : withoutReasons(state));
  });
  router.get('/metrics', async (_request, response) => {
    const text = await render();
    // not `type()`: it would replace the charset and the version of the format
    response.setHeader('content-type', metrics.contentType);
    response.end(text);
  });
  return router;
}

/** Reasons name addresses of servers, so a caller without credentials does not get them. */
function withoutReasons({ ok, checks }: Readiness): Readiness {
  return { ok, checks: checks.map(({ name, ok: fine }) => ({ name, ok: fine })) };
}
