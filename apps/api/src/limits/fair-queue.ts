import { createLateShare } from './late-share';

/** Runs a few tasks at once, and lets others wait: a few of each client, and the clients take turns. */
export interface FairQueue {
  /** @returns what the task gave; undefined: it was not run, because too many wait */
  run<T>(client: string, task: () => Promise<T>): Promise<T | undefined>;
}

export interface FairQueueOptions {
  readonly maxRunning: number;
  readonly maxWaitingOfClient: number;
  /** of all clients */
  readonly maxWaiting: number;
  /**
   * The client stands behind those that are not late, and gets its share of the places: see {@link createLateShare}.
   * Asked when a place is free, because a client may have become late while it waited. Default: nobody is
   */
  readonly isLate?: (client: string) => boolean;
}

type Start = (hasTurn: boolean) => void;

/**
 * One client's tasks never keep another client's out: each waits for as many as there are clients, at the most. When
 * all places are taken, the client with the most gives one up to a client that has none, and where each has one, a
 * late client to one that is not.
 */
export function createFairQueue({
  maxRunning,
  maxWaitingOfClient,
  maxWaiting,
  isLate = () => false,
}: FairQueueOptions): FairQueue {
  let running = 0;
  let waiting = 0;
  /** In the order of their turns: an address that has had one goes to the end. */
  const queues = new Map<string, Start[]>();
  const choose = createLateShare();

  function enqueue(client: string, start: Start): boolean {
    const queue = queues.get(client) ?? [];
    if (queue.length >= maxWaitingOfClient) return false;
    if (waiting >= maxWaiting && (queue.length > 0 || !makePlace(isLate(client)))) return false;
    queue.push(start);
    queues.set(client, queue);
    waiting += 1;
    return true;
  }

  /** @returns whether a client gave a place up: the one with the most, or a late one to a client that is not */
  function makePlace(isForLate: boolean): boolean {
    const all = [...queues];
    const longest = all.reduce((max, one) => (one[1].length > max[1].length ? one : max));
    const areAlike = longest[1].length === 1;
    const giving = areAlike ? all.find(([client]) => !isForLate && isLate(client)) : longest;
    if (giving === undefined) return false;
    const [client, queue] = giving;
    waiting -= 1;
    queue.pop()?.(false);
    if (queue.length === 0) queues.delete(client);
    return true;
  }

  function findNext(): readonly [string, Start[]] | undefined {
    const all = [...queues];
    const inTime = all.find(([client]) => !isLate(client));
    const late = all.find(([client]) => isLate(client));
    return choose(inTime, late);
  }

  function leave(): void {
    const first = findNext();
    if (first === undefined) {
      running -= 1;
      return;
    }
    // The one that ends hands its place over: `running` stays as it is.
    const [client, queue] = first;
    const start = queue.shift();
    queues.delete(client);
    if (queue.length > 0) queues.set(client, queue);
    waiting -= 1;
    start?.(true);
  }

  return {
    async run(client, task) {
      if (running < maxRunning) running += 1;
      else if (!(await new Promise<boolean>((resolve) => enqueue(client, resolve) || resolve(false)))) {
        return undefined;
      }
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}
