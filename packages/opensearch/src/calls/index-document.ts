import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { documentPath, indexPath } from '../index-path';

/** The version that a compare-and-set expects. */
export interface Position {
  readonly seqNo: number;
  readonly primaryTerm: number;
}

export type Refresh = 'true' | 'false' | 'wait_for';

export interface DocumentWrite {
  readonly id: string;
  /** JSON text */
  readonly body: string;
  /** 'create': only when there is no such document; a position: only when it still stands there */
  readonly condition: 'create' | Position;
  readonly refresh?: Refresh;
}

const parse = createParser(
  'answer of _doc',
  Type.Object({ result: Type.String(), _seq_no: Type.Integer(), _primary_term: Type.Integer() }),
);

/**
 * `PUT {index}/_doc/{id}` as a compare-and-set. OpenSearch creates a missing index on the way (unless
 * `action.auto_create_index` forbids it), so create it first.
 * @throws ClusterError 'conflict' when the condition doesn't hold; after 'transient' read before you write again
 */
export async function indexDocument(
  client: OpenSearchClient,
  index: string,
  write: DocumentWrite,
  call: Call,
): Promise<Position> {
  const answer = await requestJson(
    client,
    {
      method: 'PUT',
      path: `/${indexPath(index)}/_doc/${documentPath(write.id)}`,
      query: { ...conditionQuery(write.condition), refresh: write.refresh ?? 'false' },
      body: write.body,
    },
    parse,
    call,
  );
  return readPosition(answer);
}

/**
 * `DELETE {index}/_doc/{id}` as a compare-and-set.
 * @throws ClusterError 'conflict' when the document has changed or is gone
 */
export async function deleteDocument(
  client: OpenSearchClient,
  index: string,
  request: { readonly id: string; readonly condition: Position; readonly refresh?: Refresh },
  call: Call,
): Promise<void> {
  await requestJson(
    client,
    {
      method: 'DELETE',
      path: `/${indexPath(index)}/_doc/${documentPath(request.id)}`,
      query: { ...conditionQuery(request.condition), refresh: request.refresh ?? 'false' },
    },
    parse,
    call,
  );
}

function conditionQuery(condition: 'create' | Position): Record<string, string | number> {
  if (condition === 'create') return { op_type: 'create' };
  return { if_seq_no: condition.seqNo, if_primary_term: condition.primaryTerm };
}

/** @throws ClusterError 'invalid' when a double can't hold the number exactly */
export function readPosition(answer: { _seq_no: number; _primary_term: number }): Position {
  if (!Number.isSafeInteger(answer._seq_no)) throw new ClusterError('invalid', '_seq_no is over 2^53');
  return { seqNo: answer._seq_no, primaryTerm: answer._primary_term };
}
