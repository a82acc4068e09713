import { createParser, maybe } from '@aosc/contract';
import { type FilesPort, isClusterError } from '@aosc/engine';
import { isAborted, timeLimit } from '@aosc/signals';
import { type Static, Type } from '@sinclair/typebox';
import { onAllPrimaries } from './refresh-and-flush';
import { readShardStats } from './shard-stats';
import { listTasks, namesOneOf } from './write-tasks';
import type { AsksOf } from '../bind-calls';

const answerMs = 1000;

/**
 * `POST {index}/_forcemerge?only_expunge_deletes`, which also flushes. OpenSearch does not end a merge when its client
 * goes. So this waits for the answer for a moment only: it would say if the merge is refused. With
 * `wait_for_completion=false` that would stand in the index `.tasks` alone, which stays behind.
 * @throws ClusterError 'transient' unless every primary took part; 'invalid' when a copy failed: a merge that fails (the
 *   disk is full) fails its shard, and would again
 */
export const expungeDeletes: AsksOf<FilesPort['expungeDeletes']> = async (client, index, call) => {
  const shortly = { ...call, signal: timeLimit(answerMs, call.signal) };
  try {
    await onAllPrimaries(client, index, 'forcemerge', { only_expunge_deletes: true }, shortly);
    return 'ended';
  } catch (error) {
    if (isClusterError(error, 'aborted') && !isAborted(call.signal)) return 'running';
    throw error;
  }
};

/** A copy that starts tells of nothing. */
const CopySchema = Type.Object({
  docs: maybe(Type.Object({ count: Type.Integer(), deleted: Type.Integer() })),
  merges: maybe(Type.Object({ current_docs: Type.Integer() })),
});

const mergeStats = {
  metric: 'docs,merge',
  fields: ['docs', 'merges.current_docs'],
  parseCopy: createParser('copy in the answer of _stats', CopySchema),
};

/** One of so many documents of its shard makes a merge a large one. */
const largePart = 10;

/** Documents that are in large merges. */
export function countLarge(copies: readonly Static<typeof CopySchema>[]): number {
  return copies.reduce((sum, { docs, merges: { current_docs: merging } = { current_docs: 0 } }) => {
    const all = (docs?.count ?? 0) + (docs?.deleted ?? 0);
    return merging * largePart >= all ? sum + merging : sum;
  }, 0);
}

/** @throws ClusterError 'forbidden' where `_tasks` is not allowed */
export const readMerging: AsksOf<FilesPort['readMerging']> = async (client, index, call) => {
  const [choose, copies] = await Promise.all([
    listTasks(client, 'indices:admin/forcemerge', true, call),
    readShardStats(client, index, mergeStats, call),
  ]);
  const names = new Set([index]);
  const { running } = choose(({ node, id, description = '' }) =>
    namesOneOf(description, names) ? `${node}:${id}` : undefined,
  );
  return { isAskedFor: running.length > 0, documents: countLarge([...copies.values()].flat()) };
};
