import { ClusterError } from '@aosc/engine';
import { type TSchema, Type } from '@sinclair/typebox';

/** Parts of an answer of `_cluster/state` that {@link missingIndex} needs; the `blocks` metric has them. */
export const recoveryBlock = {
  /** GatewayService.STATE_NOT_RECOVERED_BLOCK */
  field: 'blocks.global.1.retryable',
  schema: Type.Optional(Type.Object({ '1': Type.Optional(Type.Unknown()) })),
};

/** An answer of `_cluster/state` about indices, with what {@link missingIndex} needs. @param entry of one index */
export const indicesState = <T extends TSchema>(entry: T) =>
  Type.Object({
    blocks: Type.Optional(Type.Object({ global: recoveryBlock.schema })),
    metadata: Type.Optional(Type.Object({ indices: Type.Optional(Type.Record(Type.String(), entry)) })),
  });

/** Until the cluster has recovered its state it answers 200 without any index. */
export function isUnrecovered({ blocks }: Answer): boolean {
  return blocks?.global?.['1'] !== undefined;
}

interface Answer {
  readonly blocks?: { readonly global?: { readonly '1'?: unknown } };
}

/**
 * The answer lacks an index that it would otherwise have: the same as OpenSearch's own 404, unless the cluster has not
 * recovered its state yet.
 */
export function missingIndex(index: string, answer: Answer): ClusterError {
  if (isUnrecovered(answer)) return new ClusterError('transient', 'the cluster state is not recovered yet');
  return new ClusterError('not_found', `there is no index [${index}]`, { type: 'index_not_found_exception' });
}
