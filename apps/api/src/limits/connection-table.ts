/** Why a connection was closed, or not let in. */
export type DropReason =
  /** its address holds as many as one may */
  | 'address_full'
  /** its address opens them faster than one may */
  | 'too_fast'
  /** all places are taken, and its own address holds as many as any other */
  | 'all_full'
  /** it gave its place to another address */
  | 'gave_way'
  /** as much of its address waits for a turn as may */
  | 'too_much_waits'
  /** it ended, or was ended for its slowness, before a request was there */
  | 'no_request';

interface Entry {
  readonly close: () => void;
  /** requests that are not answered yet */
  running: number;
  hasAsked: boolean;
}

export interface ConnectionTableOptions {
  readonly max: number;
  readonly maxOfClient: number;
  readonly onDrop: (reason: DropReason) => void;
}

/** The connections of each client, oldest first. */
export interface ConnectionTable {
  /**
   * @param client the address
   * @param id of the connection. A client may use its port again before its last connection is seen to have ended: the
   *   newer one takes its place
   * @param close ends it
   * @returns to be called when it has ended, once or more often; undefined: it may not stay. Where all places are taken,
   *   the client that holds the most loses one instead: the oldest that nothing is done for, or else its oldest
   */
  admit(client: string, id: string, close: () => void): (() => void) | undefined;
  /** @returns to be called when the request has ended */
  requestBegan(client: string, id: string): () => void;
}

/** Decides which connections stay, so that no client can take all the places there are. */
export function createConnectionTable({ max, maxOfClient, onDrop }: ConnectionTableOptions): ConnectionTable {
  const clients = new Map<string, Map<string, Entry>>();
  let total = 0;

  function remove(client: string, id: string): Entry | undefined {
    const entries = clients.get(client);
    const entry = entries?.get(id);
    if (entries === undefined || entry === undefined) return undefined;
    entries.delete(id);
    if (entries.size === 0) clients.delete(client);
    total -= 1;
    return entry;
  }

  /** @returns whether a client that holds more than `held` has given one up */
  function makeRoom(held: number): boolean {
    let busiest: readonly [string, Map<string, Entry>] | undefined;
    for (const one of clients) if (one[1].size > (busiest?.[1].size ?? held + 1)) busiest = one;
    if (busiest === undefined) return false;
    const [client, entries] = busiest;
    const all = [...entries];
    const [id] = all.find(([, { running }]) => running === 0) ?? all[0] ?? [];
    if (id === undefined) return false;
    remove(client, id)?.close();
    onDrop('gave_way');
    return true;
  }

  function ended(client: string, id: string, entry: Entry): void {
    if (clients.get(client)?.get(id) !== entry) return;
    remove(client, id);
    if (!entry.hasAsked) onDrop('no_request');
  }

  return {
    admit(client, id, close) {
      // It has ended, or its port would not be free.
      const before = clients.get(client)?.get(id);
      if (before !== undefined) ended(client, id, before);
      const held = clients.get(client)?.size ?? 0;
      if (held >= maxOfClient) {
        onDrop('address_full');
        return undefined;
      }
      if (total >= max && !makeRoom(held)) {
        onDrop('all_full');
        return undefined;
      }
      const entries = clients.get(client) ?? new Map<string, Entry>();
      const entry = { close, running: 0, hasAsked: false };
      entries.set(id, entry);
      clients.set(client, entries);
      total += 1;
      return () => ended(client, id, entry);
    },
    requestBegan(client, id) {
      const entry = clients.get(client)?.get(id);
      if (entry === undefined) return () => undefined;
      entry.running += 1;
      entry.hasAsked = true;
      return () => {
        entry.running -= 1;
      };
    },
  };
}
