import type { FleetEvent } from '@aosc/client';
import { client } from '../api/client';

interface StreamListener {
  /** A batch: ends with `ready` or `trouble`. */
  readonly onEvents: (events: readonly FleetEvent[]) => void;
  /** The API does not answer, or the connection has broken; called at once. The browser asks for the stream again. */
  readonly onTrouble: () => void;
  /** The API has refused the stream: the browser does not ask again. */
  readonly onRefused: () => void;
}

/** Follows the API's stream of events. @returns ends it */
export function followEvents({ onEvents, onTrouble, onRefused }: StreamListener): () => void {
  const ending = new AbortController();
  const follow = async (): Promise<never> => {
    let batch: FleetEvent[] = [];
    const options = { signal: ending.signal, patienceMs: Infinity, onTrouble };
    for await (const event of client.events(options)) {
      batch.push(event);
      if (event.event !== 'ready' && event.event !== 'trouble') continue;
      onEvents(batch);
      batch = [];
    }
    throw new Error('the stream has no end');
  };
  follow().catch(() => {
    if (ending.signal.aborted) return;
    onTrouble();
    onRefused();
  });
  return () => ending.abort();
}
