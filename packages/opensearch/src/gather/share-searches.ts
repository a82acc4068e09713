import type { Call, Selection } from '@aosc/engine';
import type { Attribution } from '@aosc/signals';
import {
  type AskSnapshot,
  searchSnapshot,
  searchSnapshots,
  type SnapshotSearch,
  isPipelineRefused,
} from '../calls/search-snapshot';
import type { OpenSearchClient } from '../client/request';
import { share } from './share';

/** A page of heads is up to a megabyte, and the slowest search keeps the others waiting. */
const limits = { maxUnderWay: 4, longestWaitMs: 10, maxTogether: 16, patienceMs: 5000 } as const;

interface Question {
  readonly search: SnapshotSearch;
  readonly call: Call;
}

/**
 * Lets the shards of a process share their small searches: those that come while others are in flight go in one
 * `_msearch`. Each gets the same result or failure as with a request of its own.
 */
export function shareSearches(client: OpenSearchClient, attribution: Attribution): AskSnapshot {
  let isRefused = false;
  const alone = ({ search, call }: Question): Promise<Buffer> => searchSnapshot(client, search, call);
  const ask = share<Question, Buffer>({
    ...limits,
    attribution,
    together: async (questions, signal) => {
      const searches = questions.map(({ search }) => search);
      try {
        return await searchSnapshots(client, searches, { ...commonOpaqueId(questions), signal });
      } catch (error) {
        isRefused ||= isPipelineRefused(error);
        throw error;
      }
    },
    alone,
  });
  return (search, call) => (isRefused ? alone({ search, call }) : ask({ search, call }, call));
}

/** `_seq_no`s of a search that shares a request: a node needs milliseconds for it. */
const fewNumbers = 200_000;

/** Like {@link shareSearches}, but a large search gets a request of its own: it would keep the others waiting. */
export function shareSmallSearches(
  client: OpenSearchClient,
  attribution: Attribution,
): (selection: Selection) => AskSnapshot {
  const together = shareSearches(client, attribution);
  const alone: AskSnapshot = (search, call) => searchSnapshot(client, search, call);
  return (selection) => (countNumbers(selection) <= fewNumbers ? together : alone);
}

function countNumbers(selection: Selection): number {
  switch (selection.kind) {
    case 'range':
      return selection.to - selection.from;
    case 'ranges':
      return selection.ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    case 'seq_nos':
      return selection.seqNos.length;
    case 'ids':
      return selection.ids.length;
  }
}

/** Searches of one shard keep its name in the cluster's lists and logs; those of several have none. */
function commonOpaqueId(questions: readonly Question[]): Pick<Call, 'opaqueId'> {
  const [opaqueId, ...others] = new Set(questions.map(({ call }) => call.opaqueId));
  return opaqueId === undefined || others.length > 0 ? {} : { opaqueId };
}
