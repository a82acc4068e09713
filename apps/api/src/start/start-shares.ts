import { type Admission, createAdmission, type Work } from '../limits/admission';
import type { Caller } from './caller';
import type { StartRequest } from './start-request';

/**
 * The units that starts wait for: each asks OpenSearch some thirty things, the cluster manager among others. Half of
 * the units are out of reach for credentials that are limited to some indices.
 */
const units = { all: 16, limited: 8, ofCaller: 12 };

/**
 * What makes a start, or work as heavy as one, heavy: a script runs on the `management` threads, of which a node has at
 * most five, and can't be cancelled. Two creations of an index at once would not see each other's shards. A query that
 * it counts by runs on the `search` threads.
 */
export type Burden = 'script' | 'creation' | 'query' | 'none';

/** @param rehearses the trial creates a scratch index. A start by files creates its target later, and counts its shards now */
export function burdenOf({ script, options }: StartRequest, rehearses = options?.rehearse === true): Burden {
  if (script !== undefined) return 'script';
  const { copy = 'documents' } = options ?? {};
  if (rehearses || copy !== 'documents') return 'creation';
  return options?.validation_query === undefined ? 'none' : 'query';
}

const limitedUnits = { script: 8, creation: 8, query: 4, none: 2 };

/**
 * The units of a start. One script runs at a time for each credential, two for all. Starts of limited credentials weigh
 * more: four of them run at once, two with a query, and a single start that creates an index or brings a script.
 */
export function workOf(
  { id, isLimited }: Pick<Caller, 'id' | 'isLimited'>,
  burden: Burden,
  gone?: AbortSignal,
): Work {
  const weight = isLimited ? limitedUnits[burden] : burden === 'script' ? units.limited : 1;
  const own = { name: `of ${id}`, units: units.ofCaller };
  const all = { name: 'all', units: units.all };
  const limited = { name: 'limited', units: units.limited };
  return { shares: isLimited ? [own, limited, all] : [own, all], weight, ...(gone && { gone }) };
}

/**
 * The one queue of all starts of a process. A start that waits holds its body, at most a megabyte. Without
 * authentication all callers count as one.
 * @param requestTimeoutMs how long to wait for an answer of OpenSearch
 */
export function createStartAdmission(requestTimeoutMs: number): Admission {
  return createAdmission({
    maxWaiting: 128,
    maxWaitingOfCaller: 64,
    waitMs: Math.min(15_000, requestTimeoutMs),
    busy: 'Too many starts are under way, perhaps one of this credential whose script still runs in the cluster; try again',
  });
}
