import { type Call, ClusterError, type Selection } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { multiSearch } from './multi-search';
import { wholeMultiSearch, wholeSearchBody, wholeSearchQuery } from './whole-search';

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

/** Members of a page's request that documents and heads share. `_doc` is the cheapest order. */
export const pageMembers = {
  sort: ['_doc'],
  track_total_hits: false,
  version: true,
} as const;

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
