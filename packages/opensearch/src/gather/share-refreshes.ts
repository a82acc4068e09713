import type { IndexRoutingShape } from '@aosc/domain';
import type { Call, ShardCopy } from '@aosc/engine';
import { refreshCopies } from '../calls/refresh-copies';
import type { OpenSearchClient } from '../client/types';
import { type Attribution, gather } from './gather';
import { answerInGroups, type Group } from './in-groups';
import { togetherOrAlone } from './together-or-alone';

const limits = { maxUnderWay: 2, longestWaitMs: 10, maxTogether: 32 } as const;

interface Question {
  readonly index: string;
  readonly copy: ShardCopy;
  readonly shape: IndexRoutingShape;
  readonly call: Call;
}

/** Refreshes one copy of a shard of this index. */
export type RefreshCopy = (
  index: string,
  copy: ShardCopy,
  shape: IndexRoutingShape,
  call: Call,
) => Promise<void>;

const patienceMs = 5000;

/** Lets the shards of a process refresh their copies in one request for each index and node. */
export function shareRefreshes(client: OpenSearchClient, attribution: Attribution): RefreshCopy {
  const share = gather<Question, undefined>(attribution, limits, (questions, signal) =>
    answerInGroups(questions, groupKey, (group) => refreshGroup(client, group, signal)),
  );
  return (index, copy, shape, call) => share({ index, copy, shape, call }, call);
}

/** A request is for one index of one shape, and one node that may answer. */
function groupKey({ index, copy, shape }: Question): string {
  return JSON.stringify([index, copy.nodeId, shape]);
}

function refreshGroup(
  client: OpenSearchClient,
  group: Group<Question>,
  signal: AbortSignal,
): readonly Promise<undefined>[] {
  const [{ index, shape, copy }] = group;
  const refresh = (some: readonly Question[], call: Call): Promise<void> => {
    const shards = some.map((question) => question.copy.shard);
    return refreshCopies(client, index, { nodeId: copy.nodeId, shards }, shape, call);
  };
  return togetherOrAlone(group, {
    signal,
    patienceMs,
    together: async (patience) => {
      await refresh(group, { signal: patience });
      return group.map(() => undefined);
    },
    alone: async (question): Promise<undefined> => {
      await refresh([question], question.call);
    },
  });
}
