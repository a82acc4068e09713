import { type Call, ClusterError } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { splitSearches } from '../codec/split-searches';

/** One search of a `_msearch`, as JSON. */
export interface SearchLines {
  readonly header: string;
  readonly body: string;
}

/**
 * `POST {path}`, which ends with `_msearch`: several searches in one request. OpenSearch runs them side by side.
 * @returns for each, in their order, its raw answer like that of a single search, or its error
 * @throws ClusterError 'invalid' where {@link isPipelineRefused} says why; 'transient' when there is not one answer for
 *   each
 */
export async function multiSearch(
  client: OpenSearchClient,
  path: string,
  searches: readonly SearchLines[],
  call: Call,
): Promise<readonly (Buffer | ClusterError)[]> {
  const body = searches.map((search) => `${search.header}\n${search.body}\n`).join('');
  const what = { method: 'POST', path, contentType: 'application/x-ndjson', body } as const;
  const answers = splitSearches(await request(client, what, call));
  if (answers.length === searches.length) return answers;
  throw new ClusterError(
    'transient',
    `POST ${path}: ${answers.length} answers for ${searches.length} searches`,
  );
}
