import { isShardRecordId } from '@aosc/domain';
import { eachOf, gatherCalls, share } from '@aosc/opensearch';
import { type Attribution, toNobody } from '@aosc/signals';
import type { DocumentIndex, DocumentReplacement, Position } from './document-index';

/** Limits of shared requests. A shard's record is some KB, so `maxTogether` of them are no large request. */
const limits = { maxUnderWay: 2, longestWaitMs: 50, maxTogether: 64 } as const;
/** Four shards that end their last rounds at about the same time can all write at once. */
const writeLimits = { ...limits, maxUnderWay: 4 } as const;
/**
 * A shared request without an answer after this time counts as lost, and each caller asks again: a paused node or a
 * silent connection must not silence all shards of a worker until their owners count as dead.
 */
const longestAnswerMs = 10_000;

/**
 * Lets the jobs of a process share their requests to `.aosc-migrations`: each shard reads and writes a record of its
 * own, and a write waits for the disk. A request leaves at once while few are in flight, so a lone caller does not
 * wait. Further callers share the next request: no caller gets what was read before it asked.
 *
 * A shared request ends early when all its callers have given up.
 * @param attribution left out: requests are not attributed to callers
 */
export function gatherRequests(
  index: DocumentIndex,
  requestTimeoutMs: number,
  attribution: Attribution = toNobody,
): DocumentIndex {
  const timeoutMs = Math.min(requestTimeoutMs, longestAnswerMs);
  type Found = Awaited<ReturnType<DocumentIndex['get']>>;
  const getTogether = async (ids: readonly string[], signal: AbortSignal): Promise<readonly Found[]> => {
    const unique = [...new Set(ids)];
    const found = await index.getMany(unique, { signal, timeoutMs });
    const byId = new Map(unique.map((id, at) => [id, found[at]]));
    return ids.map((id) => byId.get(id));
  };
  const get = gatherCalls<string, Found>({ ...limits, attribution }, (ids, signal) =>
    eachOf(ids.length, getTogether(ids, signal)),
  );
  const replace = share<DocumentReplacement, Position>({
    ...writeLimits,
    attribution,
    together: (writes, signal) => index.replaceMany(writes, { signal, timeoutMs }),
    alone: ({ id, before, body }, signal) => index.replace(id, before, body, false, { signal, timeoutMs }),
    // The cluster wrote nothing, and each of the writes may be small enough by itself.
    mayRepeat: ({ kind }) => kind === 'too_large',
  });
  return {
    ...index,
    get,
    // Two writes of a migration's record hardly ever coincide, so such a write leaves at once by itself.
    replace: (id, before, body, refresh, call) =>
      refresh || !isShardRecordId(id)
        ? index.replace(id, before, body, refresh, call)
        : replace({ id, before, body }, call),
  };
}
