import type { SnapshotPort, Call, DocumentHead, Page, PageRequest } from '@aosc/engine';
import { type AskSnapshot, pageMembers, searchSnapshot, selectionQuery } from './search-snapshot';
import type { Asks } from '../bind-calls';
import { readDocumentPage, readHeadPage, readWholePage } from '../codec/pages';

/** One page with `_source`, as the bytes that OpenSearch has stored. */
export const readDocuments: Asks<SnapshotPort['readDocuments']> = async (client, request, call) => {
  const body = { ...pageMembers, size: request.size, query: selectionQuery(request.selection) };
  return readDocumentPage(await searchSnapshot(client, { ...request, body }, call));
};

/** One page of a selection without `_source`. A hit only has a `_routing` then if the request names it as a stored field. */
export async function readHeads(
  ask: AskSnapshot,
  request: PageRequest,
  call: Call,
): Promise<Page<DocumentHead>> {
  const body = {
    ...pageMembers,
    seq_no_primary_term: true,
    _source: false,
    stored_fields: ['_routing'],
    size: request.size,
    query: selectionQuery(request.selection),
  };
  return readHeadPage(await ask({ ...request, body }, call));
}

/** One page of a selection with all that is known of its documents. */
export const readWhole: Asks<SnapshotPort['readWhole']> = async (client, request, call) => {
  const body = {
    ...pageMembers,
    seq_no_primary_term: true,
    size: request.size,
    query: selectionQuery(request.selection),
  };
  return readWholePage(await searchSnapshot(client, { ...request, body }, call));
};
