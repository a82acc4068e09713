import { createParser } from '@aosc/contract';
import { ClusterError, type SnapshotPort } from '@aosc/engine';
import { type TSchema, Type } from '@sinclair/typebox';
import { parseAnswer } from '../client/request';
import { scanSearchAnswer } from '../codec/search-answer';
import { type AsksBy, selectionQuery } from './search-snapshot';

function createAnswerParser<T extends TSchema>(aggregations: T) {
  return createParser(
    'answer of _search',
    Type.Object({
      hits: Type.Object({
        total: Type.Object({ value: Type.Integer({ minimum: 0 }), relation: Type.Literal('eq') }),
      }),
      aggregations,
    }),
  );
}

const parseMeasure = createAnswerParser(
  Type.Object({ highest: Type.Object({ value: Type.Union([Type.Number(), Type.Null()]) }) }),
);

const parseHistogram = createAnswerParser(
  Type.Object({
    buckets: Type.Object({
      buckets: Type.Array(Type.Object({ key: Type.Number(), doc_count: Type.Integer({ minimum: 0 }) })),
    }),
  }),
);

/**
 * Root documents and the highest `_seq_no` of a snapshot. Aggregations return doubles ("1.2E7"), which are exact up to
 * 2^53. Nested children carry their root's `_seq_no`, but a search does not count them.
 */
export const measureSnapshot: AsksBy<SnapshotPort['measure']> = async (ask, pitId, keepAliveMs, call) => {
  const body = { size: 0, track_total_hits: true, aggs: { highest: { max: { field: '_seq_no' } } } };
  const bytes = await ask({ pitId, keepAliveMs, body }, call);
  scanSearchAnswer(bytes, () => undefined);
  const answer = parseAnswer(bytes, parseMeasure, 'measure of a point in time');
  const documentCount = answer.hits.total.value;
  const { value } = answer.aggregations.highest;
  if (value === null) {
    if (documentCount > 0) throw new ClusterError('transient', 'documents without a highest _seq_no');
    return { documentCount: 0, maxSeqNo: -1 };
  }
  return { documentCount, maxSeqNo: toSeqNo(value) };
};

/** Documents per bucket of `_seq_no`; the sum of the buckets must be the number of documents that match. */
export const histogram: AsksBy<SnapshotPort['histogram']> = async (ask, request, call) => {
  const body = {
    size: 0,
    track_total_hits: true,
    query: selectionQuery(request.selection),
    aggs: { buckets: { histogram: { field: '_seq_no', interval: request.interval, min_doc_count: 1 } } },
  };
  const bytes = await ask({ ...request, body }, call);
  scanSearchAnswer(bytes, () => undefined);
  const answer = parseAnswer(bytes, parseHistogram, 'histogram of a point in time');
  const counts = new Map<number, number>();
  let sum = 0;
  for (const { key, doc_count } of answer.aggregations.buckets.buckets) {
    counts.set(toSeqNo(key), doc_count);
    sum += doc_count;
  }
  if (sum !== answer.hits.total.value) {
    throw new ClusterError('transient', `histogram holds ${sum} of ${answer.hits.total.value} documents`);
  }
  return counts;
};

/** A search that reads nothing: there is no call that only extends a point in time. */
export const extendSnapshot: AsksBy<SnapshotPort['extend']> = async (ask, pitId, keepAliveMs, call) => {
  const body = { size: 0, track_total_hits: false, query: { match_none: {} } };
  scanSearchAnswer(await ask({ pitId, keepAliveMs, body }, call), () => undefined);
};

function toSeqNo(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new ClusterError('invalid', `_seq_no ${value} is no whole number below 2^53`);
  }
  return value;
}
