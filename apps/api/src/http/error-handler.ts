import { errorRegistry, shorten, toErrorBody } from '@aosc/contract';
import type { Logger } from '@aosc/telemetry';
import type { NextFunction, Request, Response } from 'express';
import { createFewLines } from '../limits/few-lines';
import { addressOf } from '../limits/limits';
import { toAoscError } from './to-aosc-error';

/** The last handler: every error leaves in OpenSearch's shape, without a stack; the cause goes to the log. */
export function createErrorHandler(logger: Logger) {
  const lines = createFewLines();
  // Express knows an error handler by its four parameters.
  return (thrown: unknown, request: Request, response: Response, next: NextFunction): void => {
    const error = toAoscError(thrown);
    const { status } = errorRegistry[error.code];
    const fields = {
      event: 'request_failed',
      method: request.method,
      path: shorten(request.path),
      status,
    } as const;
    // A flood of refused requests must not become a flood of lines.
    const refusal = status < 500 ? lines(addressOf(request)) : undefined;
    if (status >= 500) logger.error(error.message, { ...fields, error: thrown });
    else if (refusal !== undefined) logger.info(error.message, { ...fields, refusal });
    if (response.headersSent) {
      next(thrown);
      return;
    }
    response.status(status).json(toErrorBody(error));
  };
}
