import type { Logger } from '@aosc/telemetry';
import type { Request, RequestHandler } from 'express';
import { clientOf } from '../limits/client-address';
import { auditNotesOf, principalOf } from './request-notes';
import { createRefusedLogins } from './refused-logins';
import { accessOf } from './routes';

/** What a status says about a request that was to change something. */
function outcomeOf(status: number): 'done' | 'refused' | 'failed' {
  if (status < 400) return 'done';
  return status === 401 || status === 403 || status === 429 ? 'refused' : 'failed';
}

/**
 * Writes one line for each request that changes something, however it ends, and for each one that is refused for
 * who sends it: who, what, which index, with what outcome, from where.
 * @param refusedLogins bounds the lines of those that are refused for their credentials
 */
export function auditRequests(logger: Logger, refusedLogins = createRefusedLogins(logger)): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    const remoteAddress = request.socket.remoteAddress ?? 'unknown';
    response.once('close', () => {
      const { action, index } = accessOf(method, path);
      const status = response.statusCode;
      if (action === undefined && status !== 401 && status !== 403) return;
      if (status === 401 && !refusedLogins.note(clientOf(remoteAddress))) return;
      const name = status === 401 ? 'authenticate' : (action ?? 'access');
      const outcome = response.writableFinished ? outcomeOf(status) : 'unknown';
      logger.info(`${name}: ${outcome}`, {
        event: 'audit',
        action: name,
        outcome,
        status,
        method,
        path: path.slice(0, 1024),
        ...(index === undefined ? {} : { index: index.slice(0, 255) }),
        who: nameOf(request),
        remoteAddress,
        ...auditNotesOf(request),
      });
    });
    next();
  };
}

/** What was sent as a name is not logged unless it is one: people type passwords into the wrong field. */
function nameOf(request: Request): string {
  return principalOf(request)?.name ?? 'unauthenticated';
}
