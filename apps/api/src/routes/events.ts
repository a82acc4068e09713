import { type Request, type Response, Router } from 'express';
import { rememberIndices } from '../auth/remembered-indices';
import { callerId } from '../auth/principal';
import { principalOf } from '../auth/request-notes';
import type { ApiDependencies } from '../dependencies';
import { readQuery } from '../http/query';
import type { EventSink } from '../events/event-hub';

/** `/_plugins/_aosc/_events`: every migration as it changes, as server-sent events. */
export function createEventRoutes({
  events,
  findCredential,
}: Pick<ApiDependencies, 'events' | 'findCredential'>): Router {
  const router = Router({ caseSensitive: true });
  const mayUse = rememberIndices();
  router.get('/_events', (request, response) => {
    readQuery(request, []);
    const principal = principalOf(request);
    const fingerprint = () => principal && findCredential?.(principal.kind, principal.name)?.fingerprint;
    const shown = fingerprint();
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    // A proxy that buffers answers would hold the events back.
    response.setHeader('x-accel-buffering', 'no');
    const leave = events.subscribe({
      lastEventId: lastEventIdOf(request),
      credential: principal && callerId(principal),
      isValid: () => fingerprint() === shown,
      mayUse: mayUse(principal),
      sink: createSink(response),
    });
    response.once('close', leave);
  });
  return router;
}

function lastEventIdOf({ headers }: Request): string | undefined {
  const value = headers['last-event-id'];
  return typeof value === 'string' ? value : undefined;
}

function createSink(response: Response): EventSink {
  return {
    write: (text) => void response.write(text),
    get isFull() {
      return response.writableNeedDrain;
    },
    end(how) {
      if (how === 'in_order') response.end();
      else response.destroy();
    },
  };
}
