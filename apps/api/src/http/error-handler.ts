import { errorRegistry, shorten, toErrorBody } from '@aosc/contract';
import type { Logger } from '@aosc/telemetry';
import type { NextFunction, Request, Response } from 'express';
import { addressOf } from '../limits/limit-rate';
import { createTally } from '../limits/tally';
import { createTokenBuckets } from '../limits/token-buckets';
import { toAoscError } from './to-aosc-error';

/** Lines for refused requests of one address: so many at once, then one a second; the rest is counted. */
const lineRate = { perSecond: 1, burst: 20, maxDebt: 0, maxKeys: 1_000, now: () => performance.now() };
const tellEveryMs = 60_000;

/** The last handler: every error leaves in OpenSearch's shape, without a stack; the cause goes to the log. */
export function createErrorHandler(logger: Logger) {
  const lines = createTokenBuckets(lineRate);
  const unlogged = createTally<string>(tellEveryMs, (counts) =>
    logger.info('more requests were refused than there are lines for them', {
      event: 'requests_refused',
      numberByStatus: counts,
    }),
  );
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
    if (status >= 500) logger.error(error.message, { ...fields, error: thrown });
    // A flood of requests that are turned away shall not be a flood of lines.
    else if (error.code === 'rate_limited') logger.debug(error.message, fields);
    else if (lines.take(addressOf(request)) === 0) logger.info(error.message, fields);
    else unlogged.note(String(status));
    if (response.headersSent) {
      next(thrown);
      return;
    }
    response.status(status).json(toErrorBody(error));
  };
}
