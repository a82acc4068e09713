/** Runs a few tasks at once, and lets others wait: a few of each client, and the clients take turns. */
export interface FairQueue {
  /**
   * @param isLate the client stands behind those that are not: of places that both wait for, it gets each fourth
   * @returns what the task gave; undefined: it was not run, because too many wait
   */
  run<T>(client: string, task: () => Promise<T>, isLate?: boolean): Promise<T | undefined>;
}

export interface FairQueueOptions {
  readonly maxRunning: number;
  readonly maxWaitingOfClient: number;
  /** of all clients */
  readonly maxWaiting: number;
}

type Start = (hasTurn: boolean) => void;

interface Queue {
  readonly starts: Start[];
  /** as its last task came */
  isLate: boolean;
}

/** Of the places that both kinds of clients wait for, each so many-th goes to a late one: it gets on, if slowly. */
const placesForOneLate = 4;

/**
 * One client's tasks never keep another client's out: each waits for as many as there are clients, at the most. When
 * all places are taken, the client with the most gives one up to a client that has none, and where each has one, a
 * late client to one that is not.
 */
export function createFairQueue({ maxRunning, maxWaitingOfClient, maxWaiting }: FairQueueOptions): FairQueue {
  let running = 0;
  let waiting = 0;
  /** In the order of their turns: who has had one goes to the end. */
  const queues = new Map<string, Queue>();
  let contested = 0;

  function enqueue(client: string, start: Start, isLate: boolean): boolean {
    const queue = queues.get(client) ?? { starts: [], isLate };
    const { length } = queue.starts;
    if (length >= maxWaitingOfClient) return false;
    if (waiting >= maxWaiting && (length > 0 || !makePlace(isLate))) return false;
    queue.starts.push(start);
    queue.isLate = isLate;
    queues.set(client, queue);
    waiting += 1;
    return true;
  }

  /** @returns whether a client gave a place up: the one with the most, or a late one to a client that is not */
  function makePlace(isForLate: boolean): boolean {
    const all = [...queues];
    const longest = all.reduce((most, one) => (one[1].starts.length > most[1].starts.length ? one : most));
    const isShared = longest[1].starts.length === 1;
    const giving = isShared ? all.find(([, { isLate }]) => isLate && !isForLate) : longest;
    if (giving === undefined) return false;
    const [client, { starts }] = giving;
    waiting -= 1;
    starts.pop()?.(false);
    if (starts.length === 0) queues.delete(client);
    return true;
  }

  function findNext(): readonly [string, Queue] | undefined {
    const all = [...queues];
    const inTime = all.find(([, { isLate }]) => !isLate);
    const late = all.find(([, { isLate }]) => isLate);
    if (inTime === undefined || late === undefined) return inTime ?? late;
    contested += 1;
    return contested % placesForOneLate === 0 ? late : inTime;
  }

  function leave(): void {
    const first = findNext();
    if (first === undefined) {
      running -= 1;
      return;
    }
    // The one that ends hands its place over: `running` stays as it is.
    const [client, queue] = first;
    const start = queue.starts.shift();
    queues.delete(client);
    if (queue.starts.length > 0) queues.set(client, queue);
    waiting -= 1;
    start?.(true);
  }

  return {
    async run(client, task, isLate = false) {
      if (running < maxRunning) running += 1;
      else {
        const hasTurn = new Promise<boolean>((resolve) => enqueue(client, resolve, isLate) || resolve(false));
        if (!(await hasTurn)) return undefined;
      }
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}
