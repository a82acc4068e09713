import type { SnapshotPort, Call, DocumentHead, Page, PageRequest } from '@aosc/engine';
import { type AskSnapshot, pageMembers, searchSnapshot, selectionQuery } from './search-snapshot';
import type { Asks } from '../bind-calls';
import { readDocumentPage, readHeadPage, readKeyPage, readWholePage } from '../codec/pages';

/** One page with `_source`, as the bytes that OpenSearch has stored. */
export const readDocuments: Asks<SnapshotPort['readDocuments']> = async (client, request, call) => {
  const body = { ...pageMembers, size: request.size, query: selectionQuery(request.selection) };
  return readDocumentPage(await searchSnapshot(client, { ...request, body }, call));
};

/** A hit without `_source` only has a `_routing` if the request names it as a stored field. */
const keyMembers = { _source: false, stored_fields: ['_routing'] } as const;

/** One page of a selection without `_source`. */
export async function readHeads(
  ask: AskSnapshot,
  request: PageRequest,
  call: Call,
): Promise<Page<DocumentHead>> {
  const body = {
    ...pageMembers,
    ...keyMembers,
    seq_no_primary_term: true,
    size: request.size,
    query: selectionQuery(request.selection),
  };
  return readHeadPage(await ask({ ...request, body }, call));
}

/** One page of a selection with keys alone: without versions and numbers a node needs a fifth less CPU. */
export const readKeys: Asks<SnapshotPort['readKeys']> = async (client, request, call) => {
  const body = {
    ...pageMembers,
    ...keyMembers,
    version: false,
    size: request.size,
    query: selectionQuery(request.selection),
  };
  return readKeyPage(await searchSnapshot(client, { ...request, body }, call));
};

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
