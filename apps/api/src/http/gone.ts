import type { ServerResponse } from 'node:http';

/** A signal that fires when the connection of a request closes before it was answered. */
export function signalWhenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'));
  });
  return controller.signal;
}
