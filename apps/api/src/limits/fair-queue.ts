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
}

type Start = (hasTurn: boolean) => void;

/**
 * One client's tasks never keep another client's out: each waits for as many as there are clients, at the most. When
 * all places are taken, the client with the most gives one up to a client that has none.
 */
export function createFairQueue({ maxRunning, maxWaitingOfClient, maxWaiting }: FairQueueOptions): FairQueue {
  let running = 0;
  let waiting = 0;
  /** In the order of their turns: who has had one goes to the end. */
  const queues = new Map<string, Start[]>();

  function enqueue(client: string, start: Start): boolean {
    const queue = queues.get(client) ?? [];
    if (queue.length >= maxWaitingOfClient) return false;
    if (waiting >= maxWaiting && (queue.length > 0 || !dropNewestOfLongest())) return false;
    queue.push(start);
    queues.set(client, queue);
    waiting += 1;
    return true;
  }

  function dropNewestOfLongest(): boolean {
    const longest = [...queues.values()].reduce<Start[]>((a, b) => (b.length > a.length ? b : a), []);
    if (longest.length < 2) return false;
    waiting -= 1;
    longest.pop()?.(false);
    return true;
  }

  function leave(): void {
    const [first] = queues;
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
