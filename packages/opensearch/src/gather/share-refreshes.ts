import type { IndexRoutingShape } from '@aosc/domain';
import type { Call, ClusterError, ShardCopy } from '@aosc/engine';
import { refreshCopies } from '../calls/refresh-copies';
import type { OpenSearchClient } from '../client/types';
import { type Attribution, gather } from './gather';
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

/** Lets the shards of a process have their copies refreshed in one request for each index and node. */
export function shareRefreshes(client: OpenSearchClient, attribution: Attribution): RefreshCopy {
  const share = gather<Question, undefined>(attribution, limits, async (questions, signal) => {
    const outcomes = new Map<Question, ClusterError | undefined>();
    await Promise.all(
      groupByNode(questions).map(async (group) => {
        const answers = await togetherOrAlone(
          group,
          signal,
          (patience) => refreshGroup(client, group, { signal: patience }),
          async ({ index, copy, shape, call }): Promise<undefined> => {
            await refreshCopies(client, index, [copy], shape, call);
          },
        );
        for (const [at, question] of group.entries()) outcomes.set(question, answers[at]);
      }),
    );
    return questions.map((question) => outcomes.get(question));
  });
  return (index, copy, shape, call) => share({ index, copy, shape, call }, call);
}

/** In one request there is one index, of one shape, and one node that may answer. */
function groupByNode(questions: readonly Question[]): readonly (readonly [Question, ...Question[]])[] {
  const groups = new Map<string, [Question, ...Question[]]>();
  for (const question of questions) {
    const { index, copy, shape } = question;
    const key = JSON.stringify([index, copy.nodeId, shape]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [question]);
    else group.push(question);
  }
  return [...groups.values()];
}

async function refreshGroup(
  client: OpenSearchClient,
  group: readonly [Question, ...Question[]],
  call: Call,
): Promise<readonly undefined[]> {
  const [{ index, shape }] = group;
  const copies = group.map(({ copy }) => copy);
  await refreshCopies(client, index, copies, shape, call);
  return group.map(() => undefined);
}
