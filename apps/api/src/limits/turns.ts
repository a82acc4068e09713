import { createLateShare } from './late-share';

/** Does a piece of work in each turn of the event loop; clients that have more than one waiting take turns. */
export interface Turns {
  /**
   * @param isLate it stands behind the work that is not, and gets its share of the turns: see {@link createLateShare}
   * @returns false: too much waits for this client, or for all of them; it will not be done
   */
  take(client: string, work: () => void, isLate?: boolean): boolean;
}

export interface TurnsOptions {
  readonly maxWaitingOfClient: number;
  /** of all clients */
  readonly maxWaiting: number;
  /** calls back in the loop's next turn */
  readonly nextTurn?: (callback: () => void) => void;
}

type Work = () => void;

/**
 * Node takes one new connection in each turn of its loop (libuv since 1.45), but reads from every connection that has
 * something to read. When each of hundreds costs a millisecond, a turn lasts for as long as all of them together, and
 * a new client waits for minutes. With one piece of work in a turn, connections are taken as fast as work is done.
 */
export function createTurns({
  maxWaitingOfClient,
  maxWaiting,
  nextTurn = setImmediate,
}: TurnsOptions): Turns {
  /** In the order of their turns: an address that has had one goes to the end. */
  const inTime = new Map<string, Work[]>();
  const late = new Map<string, Work[]>();
  let waiting = 0;
  const choose = createLateShare();
  const waitingIn = (queues: Map<string, Work[]>) => (queues.size === 0 ? undefined : queues);

  function next(): void {
    const queues = choose(waitingIn(inTime), waitingIn(late));
    const [first] = queues ?? [];
    if (queues === undefined || first === undefined) return;
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
    take(client, work, isLate = false) {
      const ofClient = (inTime.get(client)?.length ?? 0) + (late.get(client)?.length ?? 0);
      if (ofClient >= maxWaitingOfClient || waiting >= maxWaiting) return false;
      const queues = isLate ? late : inTime;
      const queue = queues.get(client) ?? [];
      queue.push(work);
      queues.set(client, queue);
      waiting += 1;
      if (waiting === 1) nextTurn(next);
      return true;
    },
  };
}
