import { type Call, ClusterError, isClusterError, type Selection } from '@aosc/engine';
import { request, type OpenSearchClient } from '../client/request';
import { splitSearches } from '../codec/split-searches';

/** One search of a `_msearch`, as JSON. */
interface SearchLines {
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

export interface SnapshotSearch {
  readonly pitId: string;
  readonly keepAliveMs: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** raw JSON array of sort values: copied, never parsed, so that no number is rounded */
  readonly after?: string | undefined;
}

/**
 * Runs one search on a point in time.
 * @returns the raw answer
 */
export type AskSnapshot = (search: SnapshotSearch, call: Call) => Promise<Buffer>;

/** A method of a port, before it is bound to the way in which its search is sent. */
export type AsksBy<M extends (...rest: never[]) => unknown> = (
  ask: AskSnapshot,
  ...rest: Parameters<M>
) => ReturnType<M>;

/**
 * `POST _search` on a point in time, which also extends it. A filter_path would cost the server more than the bytes it
 * saves.
 * @returns the raw answer; its reader must check `_shards` and `timed_out`
 */
export async function searchSnapshot(
  client: OpenSearchClient,
  search: SnapshotSearch,
  call: Call,
): Promise<Buffer> {
  const body = searchText(search);
  return request(client, { method: 'POST', path: '/_search', query: wholeSearchQuery, body }, call);
}

/**
 * `POST _msearch`: several searches like {@link searchSnapshot} in one request.
 * @returns for each its raw answer, like that of a single search, or its error
 */
export async function searchSnapshots(
  client: OpenSearchClient,
  searches: readonly SnapshotSearch[],
  call: Call,
): Promise<readonly (Buffer | ClusterError)[]> {
  const header = JSON.stringify(wholeMultiSearch.header);
  const lines = searches.map((search) => ({ header, body: searchText(search, wholeMultiSearch.body) }));
  const answers = await multiSearch(client, '/_msearch', lines, call);
  const isOwn = (answer: Buffer | ClusterError, at: number): boolean =>
    answer instanceof ClusterError || answer.includes(searches[at]?.pitId ?? '', 0, 'latin1');
  if (answers.every(isOwn)) return answers;
  // In an answer without hits only the id of the point in time says which search it belongs to.
  throw new ClusterError('transient', 'POST /_msearch: the answers are not those of the searches');
}

function searchText(
  { pitId, keepAliveMs, body, after }: SnapshotSearch,
  whole: object = wholeSearchBody,
): string {
  const pit = { id: pitId, keep_alive: `${keepAliveMs}ms` };
  const text = JSON.stringify({ ...body, ...whole, pit });
  return after === undefined ? text : `${text.slice(0, -1)},"search_after":${after}}`;
}

/** The query of a selection; nested documents never match, because a search adds its own filter for root documents. */
export function selectionQuery(selection: Selection): Record<string, unknown> {
  return { bool: { filter: [selectionFilter(selection)] } };
}

function selectionFilter(selection: Selection): Record<string, unknown> {
  switch (selection.kind) {
    case 'range':
      return { range: { _seq_no: { gte: selection.from, lt: selection.to } } };
    case 'ranges':
      return {
        bool: {
          should: selection.ranges.map(({ from, to }) => ({ range: { _seq_no: { gte: from, lt: to } } })),
        },
      };
    case 'seq_nos':
      return { terms: { _seq_no: selection.seqNos } };
    case 'ids':
      return { ids: { values: selection.ids } };
  }
}
