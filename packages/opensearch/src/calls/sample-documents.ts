import type { Call, RawDocument } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { readDocumentPage } from '../codec/pages';
import { indexPath } from '../index-path';
import { wholeSearchBody, wholeSearchQuery } from './whole-search';

/** `POST {index}/_search`: the first documents that come, as the bytes that OpenSearch has stored. */
export async function sampleDocuments(
  client: OpenSearchClient,
  index: string,
  size: number,
  call: Call,
): Promise<readonly RawDocument[]> {
  const bytes = await request(
    client,
    {
      method: 'POST',
      path: `/${indexPath(index)}/_search`,
      query: { ...wholeSearchQuery, preference: '_primary' },
      body: JSON.stringify({
        ...wholeSearchBody,
        size,
        sort: ['_doc'],
        version: true,
        track_total_hits: false,
      }),
    },
    call,
  );
  return readDocumentPage(bytes).documents;
}
