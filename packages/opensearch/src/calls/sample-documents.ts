import type { Call, DocumentPage } from '@aosc/engine';
import { request, type OpenSearchClient } from '../client/request';
import { readDocumentPage } from '../codec/pages';
import { indexPath } from '../index-path';
import { wholeSearchBody, wholeSearchQuery } from './search-snapshot';

/** Which documents of an index to sample. */
export interface Sample {
  readonly size: number;
  /** left out: all documents */
  readonly query?: Readonly<Record<string, unknown>>;
  /** left out: those that come first */
  readonly sort?: readonly unknown[];
}

/** `POST {index}/_search`: documents of the primaries, as the bytes that OpenSearch has stored. */
export async function sampleDocuments(
  client: OpenSearchClient,
  index: string,
  { size, query, sort = ['_doc'] }: Sample,
  call: Call,
): Promise<DocumentPage> {
  const bytes = await request(
    client,
    {
      method: 'POST',
      path: `/${indexPath(index)}/_search`,
      query: { ...wholeSearchQuery, preference: '_primary' },
      body: JSON.stringify({
        ...wholeSearchBody,
        size,
        ...(query !== undefined && { query }),
        sort,
        version: true,
        track_total_hits: false,
      }),
    },
    call,
  );
  return readDocumentPage(bytes);
}
