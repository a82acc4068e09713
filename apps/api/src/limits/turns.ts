/** Does a piece of work in each turn of the event loop; clients that have more than one waiting take turns. */
export interface Turns {
  /** @returns false: too much waits for this client, or for all of them; it will not be done */
  take(client: string, work: () => void): boolean;
}

export interface TurnsOptions {
  readonly maxWaitingOfClient: number;
  /** of all clients */
  readonly maxWaiting: number;
  /** calls back in the loop's next turn */
  readonly nextTurn?: (callback: () => void) => void;
}

/**
 * Node takes one new connection in each turn of its loop (libuv since 1.45), but reads from every connection that has
 * something to read. When each of hundreds costs a millisecond, a turn lasts for as long as all of them together, and
 * whoever is new waits for minutes. With one piece of work in a turn, connections are taken as fast as work is done.
 */
export function createTurns({
  maxWaitingOfClient,
  maxWaiting,
  nextTurn = setImmediate,
}: TurnsOptions): Turns {
  /** In the order of their turns: who has had one goes to the end. */
  const queues = new Map<string, (() => void)[]>();
  let waiting = 0;

  function next(): void {
    const [first] = queues;
    if (first === undefined) return;
    const [client, queue] = first;
    const work = queue.shift();
    queues.delete(client);
    if (queue.length > 0) queues.set(client, queue);
    waiting -= 1;
    // Before the work, which may throw.
    if (waiting > 0) nextTurn(next);
    work?.();
  }

  return {
    take(client, work) {
      const queue = queues.get(client) ?? [];
      if (queue.length >= maxWaitingOfClient || waiting >= maxWaiting) return false;
      queue.push(work);
      queues.set(client, queue);
      waiting += 1;
      if (waiting === 1) nextTurn(next);
      return true;
    },
  };
}
