import type { Logger } from '@aosc/telemetry';
import type { RequestHandler } from 'express';
import { createFewLines } from '../limits/few-lines';
import { addressOf } from '../limits/limits';
import { accusedOf, auditNotesOf, hasEntered } from './request-notes';
import { accessOf } from './routes';

/** What a status says about a request that was to change something. */
function outcomeOf(status: number): 'done' | 'refused' | 'failed' {
  if (status < 400) return 'done';
  return status === 401 || status === 403 || status === 429 ? 'refused' : 'failed';
}

/**
 * Writes one line for each request that changes something, however it ends, and for each refusal that is about who
 * sends it: who, what, which index, with what outcome, from where. A request that comes too fast to be let in has no
 * line. Of many wrong credentials from one address only a few have a line, which gives their number.
 */
export function auditRequests(logger: Logger): RequestHandler {
  // Bounds how many lines a guesser can cause.
  const refusals = createFewLines();
  return (request, response, next) => {
    const { method, path, ip: remoteAddress = 'unknown' } = request;
    const address = addressOf(request);
    response.once('close', () => {
      const { action, index } = accessOf(method, path);
      const status = response.statusCode;
      if (action === undefined && status !== 401 && status !== 403) return;
      if (status === 429 && !hasEntered(request)) return;
      const refusal = status === 401 ? refusals(address) : undefined;
      if (status === 401 && refusal === undefined) return;
      const name = status === 401 ? 'authenticate' : (action ?? 'access');
      const outcome = response.writableFinished ? outcomeOf(status) : 'unknown';
      const who = accusedOf(request);
      logger.info(`${name}: ${outcome}`, {
        event: 'audit',
        action: name,
        outcome,
        status,
        method,
        path: path.slice(0, 1024),
        ...(index === undefined ? {} : { index: index.slice(0, 255) }),
        who: who?.name ?? 'unauthenticated',
        ...(who === undefined ? {} : { whoKind: who.kind }),
        remoteAddress,
        ...(refusal === undefined ? {} : { refusal }),
        ...auditNotesOf(request),
      });
    });
    next();
  };
}
