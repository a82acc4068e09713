import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '@aosc/testkit';

/** What a client does with a write that was refused: sends it again at once, after a pause that grows, or never. */
export const habits = ['at once', 'with backoff', 'never'] as const;
export type Habit = (typeof habits)[number];

/** What the clients of one habit have met in a migration. */
export interface HabitFigures {
  readonly clients: number;
  readonly operations: number;
  /** requests that were refused, of the client that met the most */
  readonly refusedOfOne: number;
  /** operations that were given up */
  readonly lost: number;
  /** the longest that an operation took, with all its tries */
  readonly longestMs: number;
}

const firstBackoffMs = 50;
const longestBackoffMs = 2000;
/** between two operations of a client */
const pauseMs = 20;

/** How long a client waits before it sends an operation again; undefined: it does not. */
export function waitBefore(habit: Habit, tries: number): number | undefined {
  if (habit === 'never') return undefined;
  return habit === 'at once' ? 0 : Math.min(firstBackoffMs * 2 ** (tries - 1), longestBackoffMs);
}

type Met = Omit<HabitFigures, 'clients' | 'refusedOfOne'> & { readonly refused: number };

export interface HabitClients {
  stop(): Promise<Readonly<Record<Habit, HabitFigures>> | undefined>;
}

/** @param clients of each habit; 0: none at all */
export function startHabits(
  urls: readonly string[],
  { index, clients }: { readonly index: string; readonly clients: number },
): HabitClients {
  if (clients === 0) return { stop: () => Promise.resolve(undefined) };
  const http = createHttpClient(urls);
  const ended = new AbortController();
  const running = habits.map((habit) =>
    Promise.all(
      Array.from({ length: clients }, (_, nth) =>
        writeAlone(http, {
          path: `/${index}/_doc/${habit.replace(' ', '-')}-${nth}`,
          habit,
          until: ended.signal,
        }),
      ),
    ),
  );
  return {
    async stop() {
      if (ended.signal.aborted) return undefined;
      ended.abort();
      const [atOnce, withBackoff, never] = await Promise.all(running).finally(() => http.close());
      return {
        'at once': sum(atOnce ?? []),
        'with backoff': sum(withBackoff ?? []),
        never: sum(never ?? []),
      };
    },
  };
}

async function writeAlone(
  http: HttpClient,
  { path, habit, until }: { readonly path: string; readonly habit: Habit; readonly until: AbortSignal },
): Promise<Met> {
  let [operations, refused, lost, longestMs] = [0, 0, 0, 0];
  for (; !until.aborted; operations += 1) {
    const begin = performance.now();
    const body = JSON.stringify({ revision: operations });
    for (let tries = 1; !(await isWritten(http, `${path}-${operations}`, body)); tries += 1) {
      refused += 1;
      const waitMs = waitBefore(habit, tries);
      if (waitMs === undefined) {
        lost += 1;
        break;
      }
      await sleep(waitMs);
    }
    longestMs = Math.max(longestMs, performance.now() - begin);
    await sleep(pauseMs);
  }
  return { operations, refused, lost, longestMs };
}

async function isWritten(http: HttpClient, path: string, body: string): Promise<boolean> {
  const { status } = await http.send({ method: 'PUT', path, body });
  if (status < 300) return true;
  // A write block, too many requests, not enough copies.
  if ([403, 429, 503].includes(status)) return false;
  throw new Error(`${path}: ${status}`);
}

const sum = (met: readonly Met[]): HabitFigures => ({
  clients: met.length,
  operations: met.reduce((all, one) => all + one.operations, 0),
  refusedOfOne: Math.max(0, ...met.map(({ refused }) => refused)),
  lost: met.reduce((all, one) => all + one.lost, 0),
  longestMs: Math.max(0, ...met.map((one) => one.longestMs)),
});
