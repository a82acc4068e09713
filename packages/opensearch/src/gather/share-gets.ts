import type { Call, DocumentKey } from '@aosc/engine';
import type { Attribution, Group } from '@aosc/signals';
import { getDocuments } from '../calls/get-documents';
import type { OpenSearchClient } from '../client/request';
import type { FetchedDocument } from '../codec/get-answer';
import { share } from './share';

const limits = { maxUnderWay: 2, longestWaitMs: 10, maxTogether: 32, patienceMs: 5000 } as const;
/** In one question. A look at more deserves a request of its own, and would keep the others waiting. */
const fewKeys = 100;

interface Question {
  readonly index: string;
  readonly keys: readonly DocumentKey[];
  readonly nodeId: string | undefined;
  readonly call: Call;
}

/**
 * Lets the shards of a process share their looks, without sources, at the few target documents that each is about to
 * delete. A caller's answer was read after it asked.
 */
export function shareGets(client: OpenSearchClient, attribution: Attribution) {
  const getAll = (group: Group<Question>, call: Call): Promise<readonly FetchedDocument[]> => {
    const [{ index, nodeId }] = group;
    const keys = group.flatMap((question) => question.keys);
    return getDocuments(client, index, keys, { source: false, nodeId }, call);
  };
  const get = share<Question, readonly FetchedDocument[]>({
    ...limits,
    attribution,
    keyOf: ({ index, nodeId }) => JSON.stringify([index, nodeId]),
    together: async (group, signal) => {
      const documents = await getAll(group, { signal });
      let from = 0;
      return group.map(({ keys }) => documents.slice(from, (from += keys.length)));
    },
    alone: (question) => getAll([question], question.call),
  });
  return (index: string, keys: readonly DocumentKey[], call: Call, nodeId: string | undefined) => {
    const question = { index, keys, nodeId, call };
    return keys.length <= fewKeys ? get(question, call) : getAll([question], call);
  };
}
