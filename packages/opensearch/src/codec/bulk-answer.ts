import { byName, createParser, maybe } from '@aosc/contract';
import { type BulkOutcome, ClusterError, type ItemFailure, type ItemFailureKind } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { classifyError } from '../client/classify';
import { parseAnswer, type RawAnswer } from '../client/request';
import { describeItemError, type ItemError, ItemErrorSchema } from './item-error';

const parseBulkAnswer = createParser(
  'answer of _bulk',
  Type.Object({
    took: Type.Number(),
    errors: Type.Boolean(),
    items: Type.Array(
      byName(
        Type.Object({
          status: Type.Integer(),
          _id: maybe(Type.String()),
          result: maybe(Type.String()),
          error: maybe(ItemErrorSchema),
        }),
      ),
    ),
  }),
);

const createdMember = Buffer.from('"result":"created"');

/** OpenSearch has not applied such an item. */
const overloadTypes = new Set([
  'es_rejected_execution_exception',
  'rejected_execution_exception',
  'circuit_breaking_exception',
]);

/**
 * Reads a bulk's answer. `errors: false` means that every item was applied (a delete of a missing document counts as
 * such) and comes within the first bytes, so a good answer isn't parsed: only its end is checked.
 * @param count items that were sent
 */
export function readBulkAnswer(answer: RawAnswer, count: number): BulkOutcome {
  const { status, body } = answer;
  if (status < 200 || status >= 300) return readRefusal(status, body);
  const head =
    /^\s*\{\s*"took"\s*:\s*(\d+)\s*,(?:\s*"ingest_took"\s*:\s*-?\d+\s*,)?\s*"errors"\s*:\s*false\s*,/.exec(
      body.toString('latin1', 0, 200),
    );
  if (
    head?.[1] !== undefined &&
    /\}\s*\]\s*\}\s*$/.test(body.toString('latin1', Math.max(0, body.length - 50)))
  ) {
    return {
      type: 'answered',
      tookMs: Number(head[1]),
      failures: [],
      replaced: () => findReplaced(body, count),
    };
  }
  try {
    const parsed = parseAnswer(body, parseBulkAnswer, '_bulk');
    if (parsed.items.length !== count) {
      return { type: 'unknown', reason: `answer has ${parsed.items.length} items for ${count}` };
    }
    const failures = parsed.items.flatMap((item, index) => readItem(item, index));
    if (parsed.errors !== failures.length > 0) {
      return { type: 'unknown', reason: 'answer contradicts itself about errors' };
    }
    return { type: 'answered', tookMs: parsed.took, failures, replaced: () => replacements(parsed.items) };
  } catch (error) {
    if (error instanceof ClusterError) return { type: 'unknown', reason: error.message };
    throw error;
  }
}

type Item = Readonly<Record<string, { _id?: string; status: number; result?: string; error?: ItemError }>>;

/** Most answers say "created" for all items, which a search finds without parsing. */
function findReplaced(body: Buffer, count: number): readonly number[] {
  let created = 0;
  for (let at = body.indexOf(createdMember); at !== -1; at = body.indexOf(createdMember, at + 1))
    created += 1;
  if (created === count) return [];
  return replacements(parseAnswer(body, parseBulkAnswer, '_bulk').items);
}

function replacements(items: readonly Item[]): readonly number[] {
  return items.flatMap((item, index) => (item['index']?.result === 'updated' ? [index] : []));
}

function readItem(item: Item, index: number): readonly ItemFailure[] {
  const result = Object.values(item)[0];
  if (result === undefined) throw new ClusterError('transient', `item ${index} has no result`);
  const { status, error, _id: id = '' } = result;
  if (error === undefined) {
    // 404 without an error: a delete found nothing to delete
    if ((status >= 200 && status < 300) || status === 404) return [];
    return [
      { index, id, kind: 'ambiguous', status, type: 'unknown', reason: `status ${status} without an error` },
    ];
  }
  const reason = describeItemError(error);
  return [{ index, id, kind: classifyItem(status, error.type), status, type: error.type, reason }];
}

/**
 * Why an item was not applied. 404 is "fenced" only for a missing alias: shard_not_found and illegal_index_shard_state
 * are 404 as well, and say nothing about the outcome.
 */
export function classifyItem(status: number, type: string): ItemFailureKind {
  if (overloadTypes.has(type) || status === 429) return 'overload';
  if (status === 409) return 'conflict';
  if (status === 404) return type === 'index_not_found_exception' ? 'fenced' : 'ambiguous';
  if (status === 408) return 'ambiguous';
  return status >= 400 && status < 500 ? 'fatal' : 'ambiguous';
}

/**
 * OpenSearch answered the request as a whole with an error. It sends a 4xx before any part reaches a shard, with one
 * exception: with shard-level indexing pressure on, the coordinator sends a bulk shard by shard and can reject it in
 * the middle (its reason names `shard_detail`), when parts of it already run.
 */
function readRefusal(status: number, body: Buffer): BulkOutcome {
  const error = classifyError('_bulk', status, body);
  const reason = error.message;
  if (status >= 500 || status < 400 || status === 408 || status === 404 || status === 409 || status === 499) {
    return { type: 'unknown', reason, ...(error.details.awaits === 'cluster' && { isOutage: true }) };
  }
  if (body.includes('shard_detail=')) return { type: 'unknown', reason };
  if (error.kind === 'overload' || status === 429)
    return { type: 'refused', kind: 'overload', status, reason };
  // AWS's front refuses a stale signature: the next request gets a new one.
  if (error.kind === 'transient') return { type: 'unknown', reason };
  if (error.kind === 'too_large') return { type: 'refused', kind: 'too_large', status, reason };
  return { type: 'refused', kind: 'fatal', status, reason };
}
