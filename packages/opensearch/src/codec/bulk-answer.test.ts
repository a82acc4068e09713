import { classifyItem, readBulkAnswer } from './bulk-answer';

const answer = (status: number, body: unknown) => ({
  status,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const good = { index: { _id: '1', status: 201, _version: 1 } };

test.each([
  ['conflict', 409, 'version_conflict_engine_exception'],
  ['overload', 429, 'es_rejected_execution_exception'],
  ['overload', 429, 'circuit_breaking_exception'],
  ['overload', 429, 'cluster_block_exception'],
  ['fenced', 404, 'index_not_found_exception'],
  ['ambiguous', 404, 'shard_not_found_exception'],
  ['ambiguous', 404, 'illegal_index_shard_state_exception'],
  ['ambiguous', 503, 'unavailable_shards_exception'],
  ['ambiguous', 503, 'process_cluster_event_timeout_exception'],
  ['ambiguous', 500, 'node_closed_exception'],
  ['ambiguous', 500, 'node_disconnected_exception'],
  ['ambiguous', 500, 'receive_timeout_transport_exception'],
  ['fatal', 400, 'mapper_parsing_exception'],
  ['fatal', 400, 'strict_dynamic_mapping_exception'],
  ['fatal', 403, 'cluster_block_exception'],
] as const)('an item is %s: %d %s', (kind, status, type) => {
  expect(classifyItem(status, type)).toBe(kind);
});

test('errors: false answers for every item', () => {
  expect(readBulkAnswer(answer(200, { took: 7, errors: false, items: [good] }), 1)).toMatchObject({
    type: 'answered',
    tookMs: 7,
    failures: [],
  });
});

test('failures keep their positions; a delete that found nothing is none', () => {
  const items = [
    good,
    { delete: { _id: '2', status: 404, result: 'not_found' } },
    { index: { _id: '3', status: 409, error: { type: 'version_conflict_engine_exception', reason: 'r' } } },
  ];
  expect(readBulkAnswer(answer(200, { took: 7, errors: true, items }), 3)).toMatchObject({
    type: 'answered',
    tookMs: 7,
    failures: [
      {
        index: 2,
        id: '3',
        kind: 'conflict',
        status: 409,
        type: 'version_conflict_engine_exception',
        reason: 'r',
      },
    ],
  });
});

test.each([true, false])('documents that took the place of others are found, errors: %s', (errors) => {
  const created = { index: { _id: '1', status: 201, result: 'created' } };
  const updated = { index: { _id: '2', status: 200, result: 'updated' } };
  const refused = { index: { _id: '3', status: 400, error: { type: 'x', reason: '"result":"created"' } } };
  const items = [created, updated, created, ...(errors ? [refused] : [])];
  const outcome = readBulkAnswer(answer(200, { took: 7, errors, items }), items.length);
  expect(outcome.type === 'answered' && outcome.replaced()).toEqual([1]);
  const fresh = readBulkAnswer(answer(200, { took: 7, errors: false, items: [created, created] }), 2);
  expect(fresh.type === 'answered' && fresh.replaced()).toEqual([]);
});

test("a script's error is reported with its cause and the place in the script", () => {
  const error = {
    type: 'script_exception',
    reason: 'runtime error',
    script_stack: ['x = 1/y; } ', '    ^---- HERE'],
    script: 'long',
    caused_by: { type: 'arithmetic_exception', reason: '/ by zero' },
  };
  const items = [{ index: { _id: 'a', status: 400, error } }];
  expect(readBulkAnswer(answer(200, { took: 7, errors: true, items }), 1)).toMatchObject({
    failures: [
      {
        id: 'a',
        kind: 'fatal',
        reason: 'runtime error; arithmetic_exception; script stack: x = 1/y; } ^---- HERE',
      },
    ],
  });
});

test.each([
  ['a truncated good answer', '{"took":7,"errors":false,"items":[{"index":{"_id":"1"'],
  ['a proxy page', '<html></html>'],
  ['an item too few', { took: 1, errors: true, items: [good] }],
  ['errors without a failed item', { took: 1, errors: true, items: [good, good] }],
  ['an empty body', ''],
])('%s with status 200 says nothing', (_name, body) => {
  expect(readBulkAnswer(answer(200, body), 2)).toMatchObject({ type: 'unknown' });
});

test.each([
  [
    'overload',
    429,
    {
      error: {
        type: 'es_rejected_execution_exception',
        reason: 'rejected execution of coordinating operation [coordinating_and_primary_bytes=1]',
      },
    },
  ],
  ['overload', 429, { error: { type: 'circuit_breaking_exception', reason: 'Data too large' } }],
  ['too_large', 413, ''],
  [
    'fatal',
    400,
    {
      error: {
        type: 'illegal_argument_exception',
        reason: 'The bulk request must be terminated by a newline',
      },
    },
  ],
  ['fatal', 403, { error: { type: 'security_exception', reason: 'no permissions' } }],
] as const)('a bulk is refused as %s: %d', (kind, status, body) => {
  expect(readBulkAnswer(answer(status, body), 1)).toMatchObject({ type: 'refused', kind, status });
});

test.each([500, 502, 503, 504, 408, 404, 302])('status %d says nothing about the outcome', (status) => {
  expect(readBulkAnswer(answer(status, 'x'), 1)).toMatchObject({ type: 'unknown' });
});

test('a bulk with a stale signature is sent again, with a new one', () => {
  const message = 'Signature expired: 20260101T000000Z is now earlier than 20260101T000500Z';
  expect(readBulkAnswer(answer(403, { message }), 1)).toMatchObject({
    type: 'unknown',
    reason: expect.stringContaining(message) as string,
  });
});

test('a rejection by shard-level indexing pressure may come after other shards began', () => {
  const reason = 'rejected execution of coordinating operation [shard_detail=[a][1], shard_total_bytes=1]';
  const body = { error: { type: 'es_rejected_execution_exception', reason } };
  expect(readBulkAnswer(answer(429, body), 1)).toMatchObject({ type: 'unknown' });
});
