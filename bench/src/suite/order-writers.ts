import { setTimeout as sleep } from 'node:timers/promises';
import { type MakeDocument, startWriters, type Writers } from '@aosc/testkit';
import { alias } from '../cluster';
import { listDocuments, listWords, makeOrder } from '../dataset';

const words = listWords();

/** An order in a new revision; the writers' ids are not those of the dataset, the field follows from the random numbers. */
const makeOrderDocument: MakeDocument = (random) => makeOrder(random.below(1e9), random, words).source;

/** An order has at most 40 items: a part always changes its document, else OpenSearch would leave it as it was. */
const makeOrderPart: MakeDocument = (_random, { revision }) =>
  JSON.stringify({ status: 'sent', items: 1000 + revision });

export interface OrderWriters {
  readonly urls: readonly string[];
  /** of the dataset, which the writers change and delete as well */
  readonly documents: number;
  readonly writers: number;
  /** operations a second of all writers together; undefined: as fast as the answers come */
  readonly rate: number | undefined;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** Writers that use the orders as an application would. Their documents have no custom routing. */
export function startOrderWriters({ urls, documents, writers, rate, seed, signal }: OrderWriters): Writers {
  return startWriters({
    urls,
    alias,
    writers,
    seed,
    signal,
    routedWriters: 0,
    // Ids of one run are not those of another.
    idPrefix: `w${seed}-`,
    adopt: Array.from(listDocuments(documents), ({ id }) => id),
    makeDocument: makeOrderDocument,
    makePartial: makeOrderPart,
    ...(rate !== undefined && { rate }),
  });
}

/** What writers get done in a time. */
export interface Written {
  readonly seconds: number;
  readonly done: number;
  readonly refused: number;
  /** since the writers began */
  readonly longestPauseMs: number;
}

/**
 * Counts until `measure` has ended.
 * @throws what it throws; Error when an operation was lost, contradicted or given up
 */
export async function countWrites<T>(
  writers: Pick<Writers, 'stats'>,
  measure: () => Promise<T>,
): Promise<{ readonly result: T; readonly written: Written }> {
  const before = writers.stats();
  const begin = performance.now();
  const result = await measure();
  const seconds = (performance.now() - begin) / 1000;
  const after = writers.stats();
  if (after.violations + after.errors > 0) throw new Error(after.problems.join('; '));
  return {
    result,
    written: {
      seconds,
      done: after.operations - before.operations,
      refused: after.otherRetries + after.blockedRetries - before.otherRetries - before.blockedRetries,
      longestPauseMs: after.longestPauseMs,
    },
  };
}

/** The same for a fixed time. */
export async function countWritesFor(
  writers: Writers,
  seconds: number,
  signal: AbortSignal,
): Promise<Written> {
  const wait = async (): Promise<void> => sleep(seconds * 1000, undefined, { signal });
  return (await countWrites(writers, wait)).written;
}
