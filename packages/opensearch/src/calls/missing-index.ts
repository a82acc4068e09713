import { ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';

/** Part of an answer of `_cluster/state` that {@link missingIndex} needs. */
export const globalBlocks = {
  blocks: Type.Optional(Type.Object({ global: Type.Optional(Type.Unknown()) })),
};

/**
 * The index is not in an answer that would have it: the same as OpenSearch's own 404 for it. Until the cluster has
 * recovered its state it answers 200 without any index, and has a global block.
 */
export function missingIndex(
  index: string,
  { blocks }: { readonly blocks?: { readonly global?: unknown } },
): ClusterError {
  if (blocks?.global !== undefined)
    return new ClusterError('transient', 'the cluster state is not recovered yet');
  return new ClusterError('not_found', `there is no index ${index}`, { type: 'index_not_found_exception' });
}
