import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import { classifyInnerError } from '../client/classify';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { type DocumentWrite, type Position, readPosition } from './index-document';

const ItemSchema = Type.Object({
  _id: Type.String(),
  status: Type.Integer(),
  _seq_no: Type.Optional(Type.Integer()),
  _primary_term: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.Unknown()),
});

/** OpenSearch puts the answer of each action under the action's name. */
const parse = createParser(
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
  const answer = await requestJson(client, what, parse, call);
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
