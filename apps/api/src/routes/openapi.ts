import { createOpenApiDocument } from '@aosc/contract';
import { Router } from 'express';

/** The API's description of itself. It is the same for all callers and made once. */
export function createOpenApiRoutes(): Router {
  const router = Router({ caseSensitive: true });
  const document = createOpenApiDocument();
  router.get('/openapi.json', (_request, response) => {
    response.json(document);
  });
  return router;
}
