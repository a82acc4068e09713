import type { PageRequest, SnapshotPort } from '@aosc/engine';
import { type AsksBy, searchSnapshot, selectionQuery, type SnapshotSearch } from './search-snapshot';
import type { Asks } from '../bind-calls';
import { readDocumentPage, readHeadPage, readKeyPage, readWholePage } from '../codec/pages';

/** The search for one page of a selection. `_doc` is the cheapest order. */
function pageOf(request: PageRequest, members: SnapshotSearch['body'] = {}): SnapshotSearch {
  const { size, selection } = request;
  const query = selectionQuery(selection);
  const body = { sort: ['_doc'], track_total_hits: false, version: true, ...members, size, query };
  return { ...request, body };
}

/** One page with `_source`, as the bytes that OpenSearch has stored. */
export const readDocuments: Asks<SnapshotPort['readDocuments']> = async (client, request, call) =>
  readDocumentPage(await searchSnapshot(client, pageOf(request), call));

/** A hit without `_source` only has a `_routing` if the request names it as a stored field. */
const keyMembers = { _source: false, stored_fields: ['_routing'] } as const;

/** One page of a selection without `_source`. */
export const readHeads: AsksBy<SnapshotPort['readHeads']> = async (ask, request, call) =>
  readHeadPage(await ask(pageOf(request, { ...keyMembers, seq_no_primary_term: true }), call));

/** One page of a selection with keys alone: without versions and numbers a node needs a fifth less CPU. */
export const readKeys: Asks<SnapshotPort['readKeys']> = async (client, request, call) =>
  readKeyPage(await searchSnapshot(client, pageOf(request, { ...keyMembers, version: false }), call));

/** One page of a selection with all that is known of its documents. */
export const readWhole: Asks<SnapshotPort['readWhole']> = async (client, request, call) =>
  readWholePage(await searchSnapshot(client, pageOf(request, { seq_no_primary_term: true }), call));
