import { type Admission, createAdmission, type Work } from '../limits/admission';
import type { Caller } from './caller';
import type { StartRequest } from './start-request';

/**
 * The units that starts wait for: each asks OpenSearch some thirty things, the cluster manager among others. Half of
 * the units are out of reach for credentials that are limited to some indices.
 */
const units = { all: 16, limited: 8, ofCaller: 12 };

/** What a start, or work as heavy as one, brings along. */
export interface Burden {
  /** a script: it runs on the `management` threads, of which a node has at most five, and can't be cancelled */
  readonly script?: boolean;
  /** a query that it counts by, on the `search` threads */
  readonly query?: boolean;
  /** it creates an index: two creations at once would not see each other's shards */
  readonly creation?: boolean;
}

export function burdenOf({ script, options }: StartRequest): Burden {
  return {
    script: script !== undefined,
    query: options?.validation_query !== undefined,
    // The scratch index of its trial.
    creation: options?.rehearse === true,
  };
}

const limitedUnits = { script: 8, creation: 8, query: 4, none: 2 };

/**
 * The units of a start. One script runs at a time for each credential, two for all. Starts of limited credentials weigh
 * more: four of them run at once, two with a query, and a single start that creates an index or brings a script.
 */
export function workOf(
  { id, isLimited }: Pick<Caller, 'id' | 'isLimited'>,
  { script = false, query = false, creation = false }: Burden,
  gone?: AbortSignal,
): Work {
  const kind = script ? 'script' : creation ? 'creation' : query ? 'query' : 'none';
  const weight = isLimited ? limitedUnits[kind] : script ? units.limited : 1;
  const own = { name: `of ${id}`, units: units.ofCaller };
  const all = { name: 'all', units: units.all };
  const limited = { name: 'limited', units: units.limited };
  return { shares: isLimited ? [own, limited, all] : [own, all], weight, ...(gone && { gone }) };
}

const longestWaitMs = 15_000;

/**
 * The one queue of all starts of a process. A start that waits holds its body, at most a megabyte. Without
 * authentication all callers count as one.
 * @param requestTimeoutMs how long to wait for an answer of OpenSearch
 */
export function createStartAdmission(requestTimeoutMs: number): Admission {
  return createAdmission({
    maxWaiting: 128,
    maxWaitingOfCaller: 64,
    waitMs: Math.min(longestWaitMs, requestTimeoutMs),
    busy: 'Too many starts are under way, perhaps one of this credential whose script still runs in the cluster; try again',
  });
}
