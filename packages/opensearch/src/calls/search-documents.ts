import { type Call, ClusterError } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { readString } from '../codec/pages';
import { scanSearchAnswer } from '../codec/search-answer';
import { indexPath } from '../index-path';
import type { Position } from './index-document';
import { wholeSearchBody, wholeSearchQuery } from './whole-search';

export interface FoundDocument extends Position {
  readonly id: string;
  readonly source: Buffer;
}

/**
 * `POST {index}/_search`: documents of a small index with their positions. Near real time: a write is found
 * after a refresh only; read what decides something with `getDocuments`.
 * @param body a search body with its own `size`, `query`, `sort`
 */
export async function searchDocuments(
  client: OpenSearchClient,
  index: string,
  body: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<readonly FoundDocument[]> {
  const bytes = await request(
    client,
    {
      method: 'POST',
      path: `/${indexPath(index)}/_search`,
      query: wholeSearchQuery,
      body: JSON.stringify({ ...body, ...wholeSearchBody, seq_no_primary_term: true }),
    },
    call,
  );
  const documents: FoundDocument[] = [];
  scanSearchAnswer(bytes, (hit) => {
    if (hit.sourceStart === -1 || hit.seqNo === -1 || hit.primaryTerm === -1) {
      throw new ClusterError('invalid', `a hit of ${index} without _source, _seq_no or _primary_term`);
    }
    documents.push({
      id: readString(bytes, hit.idStart, hit.idEnd),
      seqNo: hit.seqNo,
      primaryTerm: hit.primaryTerm,
      source: bytes.subarray(hit.sourceStart, hit.sourceEnd),
    });
  });
  return documents;
}
