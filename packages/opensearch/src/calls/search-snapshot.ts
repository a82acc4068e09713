import type { Call, Selection } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { wholeSearchBody, wholeSearchQuery } from './whole-search';

export interface SnapshotSearch {
  readonly pitId: string;
  readonly keepAliveMs: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** raw JSON array of sort values: pasted, never parsed, so that no number is rounded */
  readonly after?: string | undefined;
}

/**
 * `POST _search` on a point in time, which also extends it. A filter_path would cost the server more than the
 * bytes it saves.
 * @returns the raw answer; who reads it must check `_shards` and `timed_out`
 */
export async function searchSnapshot(
  client: OpenSearchClient,
  search: SnapshotSearch,
  call: Call,
): Promise<Buffer> {
  const pit = { id: search.pitId, keep_alive: `${search.keepAliveMs}ms` };
  const text = JSON.stringify({ ...search.body, ...wholeSearchBody, pit });
  const body = search.after === undefined ? text : `${text.slice(0, -1)},"search_after":${search.after}}`;
  return request(client, { method: 'POST', path: '/_search', query: wholeSearchQuery, body }, call);
}

/** Members of a page's request that are the same for documents and heads. `_doc` is the cheapest order. */
export const pageMembers = {
  sort: ['_doc'],
  track_total_hits: false,
  version: true,
} as const;

/** The query of a selection; nested documents never match, because a search adds its filter for root documents. */
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
