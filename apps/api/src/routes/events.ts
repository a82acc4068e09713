import type { Response } from 'express';
import { rememberIndices } from '../auth/remembered-indices';
import { callerId } from '../auth/principal';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';
import type { EventSink } from '../events/event-hub';

/** Every migration as it changes, as server-sent events. */
export function handleEvents({
  events,
  findCredential,
}: Pick<ApiDependencies, 'events' | 'findCredential'>): Handlers {
  const mayUse = rememberIndices();
  return {
    aosc_stream_events({ request, response, principal }) {
      const fingerprint = () => principal && findCredential?.(principal.kind, principal.name)?.fingerprint;
      const shown = fingerprint();
      response.setHeader('content-type', 'text/event-stream; charset=utf-8');
      if (request.method === 'HEAD') {
        response.end();
        return undefined;
      }
      // A client that left while the API looked at its credential has closed before this listener was there.
      if (response.closed) return undefined;
      // A proxy that buffers answers would hold the events back.
      response.setHeader('x-accel-buffering', 'no');
      const leave = events.subscribe({
        lastEventId: request.get('last-event-id'),
        credential: principal && callerId(principal),
        isValid: () => fingerprint() === shown,
        mayUse: mayUse(principal),
        sink: createSink(response),
      });
      response.once('close', leave);
      return undefined;
    },
  };
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
