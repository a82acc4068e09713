import { createParser, maybe } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import { classifyInnerError } from '../client/classify';
import { requestJson, type OpenSearchClient } from '../client/request';
import { documentPath, indexPath } from '../index-path';

/** The version that a compare-and-set expects. */
export interface Position {
  readonly seqNo: number;
  readonly primaryTerm: number;
}

export interface DocumentWrite {
  readonly id: string;
  /** JSON text */
  readonly body: string;
  /** 'create': only when there is no such document; a position: only when it still stands there */
  readonly condition: 'create' | Position;
  /** whether searches show it at once */
  readonly refresh?: boolean;
}

const parseWrite = createParser(
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
      query: { ...conditionQuery(write.condition), refresh: write.refresh ?? false },
      body: write.body,
    },
    parseWrite,
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
  request: { readonly id: string; readonly condition: Position },
  call: Call,
): Promise<void> {
  await requestJson(
    client,
    {
      method: 'DELETE',
      path: `/${indexPath(index)}/_doc/${documentPath(request.id)}`,
      query: { ...conditionQuery(request.condition), refresh: false },
    },
    parseWrite,
    call,
  );
}

function conditionQuery(condition: 'create' | Position): Record<string, string | number> {
  if (condition === 'create') return { op_type: 'create' };
  return { if_seq_no: condition.seqNo, if_primary_term: condition.primaryTerm };
}

/** @throws ClusterError 'invalid' when a double can't hold the number exactly */
function readPosition(answer: { _seq_no: number; _primary_term: number }): Position {
  if (!Number.isSafeInteger(answer._seq_no)) throw new ClusterError('invalid', '_seq_no is over 2^53');
  return { seqNo: answer._seq_no, primaryTerm: answer._primary_term };
}

const ItemSchema = Type.Object({
  _id: Type.String(),
  status: Type.Integer(),
  _seq_no: maybe(Type.Integer()),
  _primary_term: maybe(Type.Integer()),
  error: maybe(Type.Unknown()),
});

/** OpenSearch puts the answer of each action under the action's name. */
const parseBulk = createParser(
  'answer of _bulk',
  Type.Object({
    items: Type.Array(Type.Union([Type.Object({ index: ItemSchema }), Type.Object({ create: ItemSchema })])),
  }),
);

/**
 * `POST {index}/_bulk` of compare-and-sets and creations. They are independent: a failed one does not affect the
 * others. `pipeline=_none` keeps out a default pipeline, which a bulk would otherwise run for all of them.
 * @returns one answer per document, in their order: its position now, or why it was not written ('conflict' when the
 *   condition doesn't hold; after 'transient' read before you write again)
 * @throws ClusterError when there is no answer for any of them
 */
export async function writeDocuments(
  client: OpenSearchClient,
  index: string,
  writes: readonly Omit<DocumentWrite, 'refresh'>[],
  call: Call,
): Promise<readonly (Position | ClusterError)[]> {
  if (writes.length === 0) return [];
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_bulk`,
    query: { pipeline: '_none', refresh: 'false' },
    contentType: 'application/x-ndjson',
    body: writes.map(composeLines).join(''),
  } as const;
  const answer = await requestJson(client, what, parseBulk, call);
  const items = answer.items.map((item) => ('index' in item ? item.index : item.create));
  if (items.length !== writes.length || items.some(({ _id }, at) => _id !== writes[at]?.id)) {
    throw new ClusterError('transient', `${what.method} ${what.path}: the answer is not about what was sent`);
  }
  return items.map((item) => readItem(item, `${what.method} ${what.path}`));
}

function composeLines({ id, body, condition }: DocumentWrite): string {
  const action =
    condition === 'create'
      ? { create: { _id: id } }
      : { index: { _id: id, if_seq_no: condition.seqNo, if_primary_term: condition.primaryTerm } };
  return `${JSON.stringify(action)}\n${body}\n`;
}

function readItem(item: Static<typeof ItemSchema>, what: string): Position | ClusterError {
  const { status, error, _seq_no: seqNo, _primary_term: primaryTerm } = item;
  if (error !== undefined || status < 200 || status >= 300) {
    return classifyInnerError(what, error, status);
  }
  if (seqNo === undefined || primaryTerm === undefined) {
    return new ClusterError('transient', `${what}: the answer does not say where the document stands`);
  }
  return readPosition({ _seq_no: seqNo, _primary_term: primaryTerm });
}
