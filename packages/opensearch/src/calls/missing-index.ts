import { ClusterError } from '@aosc/engine';

/** The index is not in an answer that would have it: the same as OpenSearch's own 404 for it. */
export function missingIndex(index: string): ClusterError {
  return new ClusterError('not_found', `there is no index ${index}`, { type: 'index_not_found_exception' });
}
