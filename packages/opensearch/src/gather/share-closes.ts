import type { Call, SnapshotPort } from '@aosc/engine';
import type { Attribution } from '@aosc/signals';
import { closeAtOnce, closeSnapshots } from '../calls/close-snapshots';
import type { OpenSearchClient } from '../client/request';
import { share } from './share';

/**
 * Ids of points in time have a few hundred characters, and few callers close many at once. Callers have five seconds, of
 * which enough must remain for a request of each.
 */
const limits = { maxUnderWay: 1, longestWaitMs: 50, maxTogether: 32, patienceMs: 1500 } as const;

interface Question {
  readonly pitIds: readonly string[];
  readonly call: Call;
}

/** Lets the shards of a process share the requests that close their old points in time. */
export function shareCloses(client: OpenSearchClient, attribution: Attribution): SnapshotPort['close'] {
  const close = share<Question, readonly string[]>({
    ...limits,
    attribution,
    together: async (questions, signal) => {
      const all = [...new Set(questions.flatMap(({ pitIds }) => pitIds))];
      const left = new Set(await closeAtOnce(client, all, { signal }));
      return questions.map(({ pitIds }) => pitIds.filter((id) => left.has(id)));
    },
    alone: ({ pitIds, call }) => closeSnapshots(client, pitIds, call),
  });
  return (pitIds, call) => (pitIds.length === 0 ? Promise.resolve([]) : close({ pitIds, call }, call));
}
