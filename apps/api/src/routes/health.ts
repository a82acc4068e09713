import { createOpenApiDocument, type HealthAnswer, type ReadinessAnswer } from '@aosc/contract';
import { createRenderer, type Readiness, sumUpNodes } from '@aosc/telemetry';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';

/** Whether the process runs, whether it can work and if not why, and its figures. */
export function handleHealth({ readiness, metrics, authenticate, nodes }: ApiDependencies): Handlers {
  const render = createRenderer(metrics, readiness, nodes);
  return {
    get_health: () => ({ ok: true, opensearch: sumUpNodes(nodes()) }) satisfies HealthAnswer,
    async get_readiness({ response, principal }) {
      const state: ReadinessAnswer = await readiness();
      response.status(state.ok ? 200 : 503);
      return authenticate === undefined || principal !== undefined ? state : withoutReasons(state);
    },
    async get_metrics({ response }) {
      const text = await render();
      // not `type()`: it would replace the charset and the version of the format
      response.setHeader('content-type', metrics.contentType);
      response.end(text);
      return undefined;
    },
  };
}

/** The API's description of itself. It is the same for all callers and made once. */
export function handleOpenApi(): Handlers {
  const document = createOpenApiDocument();
  return { get_openapi: () => document };
}

/** Reasons name addresses of servers, so a caller without credentials does not get them. */
function withoutReasons({ ok, checks }: Readiness): Readiness {
  return { ok, checks: checks.map(({ name, ok: fine }) => ({ name, ok: fine })) };
}
