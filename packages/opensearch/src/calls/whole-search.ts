import { isClusterError } from '@aosc/engine';

/**
 * What every search sets explicitly, because an operator's default would change its answer:
 * - `index.search.default_pipeline` can hide documents and alter `_source`, also of searches on a point in time
 * - `search.default_search_timeout` ends a search early, with what it has found by then
 * - `search.cancel_after_time_interval` cancels long ones
 * - `search.default_allow_partial_results` (true) leaves out shards that fail
 */
export const wholeSearchQuery = {
  allow_partial_search_results: false,
  cancel_after_time_interval: '-1',
  search_pipeline: '_none',
} as const;

/** The members that belong into the body beside {@link wholeSearchQuery}. */
export const wholeSearchBody = { timeout: '-1' } as const;

const { search_pipeline, ...header } = wholeSearchQuery;

/** The same for a search of a `_msearch`, which refuses `search_pipeline` in its header and reads it from its body. */
export const wholeMultiSearch = { header, body: { ...wholeSearchBody, search_pipeline } } as const;

/**
 * Whether OpenSearch refused a `_msearch` for the `search_pipeline` in the bodies of its searches: before 2.18 a body
 * could not name one (https://github.com/opensearch-project/OpenSearch/pull/15923), and there is no other place for it.
 */
export function isPipelineRefused(error: unknown): boolean {
  return isClusterError(error, 'invalid') && error.message.includes('search_pipeline');
}
