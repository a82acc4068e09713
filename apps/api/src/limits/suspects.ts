import { LRUCache } from 'lru-cache';

/** Clients that were refused something not long ago. */
export interface Suspects {
  note(client: string): void;
  forget(client: string): void;
  has(client: string): boolean;
}

/** Clients that are told apart: the one noted longest ago is forgotten. */
const maxClients = 10_000;

/**
 * @param forMs a client is one for so long after it was noted last; Infinity: until it is forgotten
 * @param now milliseconds that never go back
 */
export function createSuspects(forMs: number, now: () => number = () => performance.now()): Suspects {
  const untilMs = new LRUCache<string, number>({ max: maxClients });
  return {
    note: (client) => untilMs.set(client, now() + forMs),
    forget: (client) => untilMs.delete(client),
    has: (client) => (untilMs.get(client) ?? -Infinity) > now(),
  };
}
