import type { IndexRoutingShape } from '@aosc/domain';
import type { Call, ShardCopy } from '@aosc/engine';
import type { Attribution, Group } from '@aosc/signals';
import { refreshCopies } from '../calls/refresh-copies';
import type { OpenSearchClient } from '../client/request';
import { share } from './share';

const limits = { maxUnderWay: 2, longestWaitMs: 10, maxTogether: 32, patienceMs: 5000 } as const;

interface Question {
  readonly index: string;
  readonly copy: ShardCopy;
  readonly shape: IndexRoutingShape;
  readonly call: Call;
}

/** Lets the shards of a process refresh their copies in one request for each index and node. */
export function shareRefreshes(client: OpenSearchClient, attribution: Attribution) {
  const refreshAll = async (group: Group<Question>, call: Call): Promise<readonly undefined[]> => {
    const [{ index, copy, shape }] = group;
    const shards = group.map((question) => question.copy.shard);
    await refreshCopies(client, index, { nodeId: copy.nodeId, shards }, shape, call);
    return group.map(() => undefined);
  };
  const refresh = share<Question, undefined>({
    ...limits,
    attribution,
    // A request is for one index of one shape, and one node that may answer.
    keyOf: ({ index, copy, shape }) => JSON.stringify([index, copy.nodeId, shape]),
    together: (group, signal) => refreshAll(group, { signal }),
    alone: async (question) => (await refreshAll([question], question.call))[0],
  });
  return (index: string, copy: ShardCopy, shape: IndexRoutingShape, call: Call) =>
    refresh({ index, copy, shape, call }, call);
}
