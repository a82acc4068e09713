import type { Call } from '@aosc/engine';
import { searchSnapshot, searchSnapshots, type SnapshotSearch } from '../calls/search-snapshot';
import { isPipelineRefused } from '../calls/whole-search';
import type { OpenSearchClient } from '../client/types';
import { type Attribution, gather } from './gather';
import { togetherOrAlone } from './together-or-alone';

/** Asks for one search on a point in time. @returns the raw answer */
export type AskSnapshot = (search: SnapshotSearch, call: Call) => Promise<Buffer>;

/** A page of heads is up to a megabyte, and the slowest keeps the others waiting. */
const limits = { maxUnderWay: 4, longestWaitMs: 10, maxTogether: 16 } as const;
const patienceMs = 5000;

interface Question {
  readonly search: SnapshotSearch;
  readonly call: Call;
}

/**
 * Lets the shards of a process share their small searches: those that ask while others are under way go in one
 * `_msearch`. What each of them gets, and how it fails, is the same as alone.
 */
export function shareSearches(client: OpenSearchClient, attribution: Attribution): AskSnapshot {
  let isRefused = false;
  const askTogether = async (questions: readonly Question[], signal: AbortSignal) => {
    const searches = questions.map(({ search }) => search);
    try {
      return await searchSnapshots(client, searches, { ...commonOpaqueId(questions), signal });
    } catch (error) {
      isRefused ||= isPipelineRefused(error);
      throw error;
    }
  };
  const share = gather<Question, Buffer>(attribution, limits, (questions, signal) =>
    togetherOrAlone(questions, {
      signal,
      patienceMs,
      together: (patience) => askTogether(questions, patience),
      alone: ({ search, call }) => searchSnapshot(client, search, call),
    }),
  );
  return (search, call) => (isRefused ? searchSnapshot(client, search, call) : share({ search, call }, call));
}

/** Searches of one shard keep its name in the cluster's lists and logs; those of several have none. */
function commonOpaqueId(questions: readonly Question[]): Pick<Call, 'opaqueId'> {
  const [opaqueId, ...others] = new Set(questions.map(({ call }) => call.opaqueId));
  return opaqueId === undefined || others.length > 0 ? {} : { opaqueId };
}
