import { readGetAnswer } from './get-answer';
import { readDocumentPage } from './pages';
import { thrownBy } from '../__tests__/thrown-by';

const goodHit = '{"_id":"1","_version":1,"_seq_no":0,"_primary_term":1,"_source":{"a":1},"sort":[0]}';
const shards = '{"total":1,"successful":1,"skipped":0,"failed":0}';

function page(parts: {
  hit?: string;
  timedOut?: string;
  shards?: string;
  tail?: string;
  before?: string;
}): Buffer {
  return Buffer.from(
    `{"took":1,"timed_out":${parts.timedOut ?? 'false'},${parts.before ?? ''}"_shards":${parts.shards ?? shards},` +
      `"hits":{"hits":[${parts.hit ?? goodHit}]}}${parts.tail ?? ''}`,
  );
}

test('the good answer is read', () => {
  expect(readDocumentPage(page({})).documents).toHaveLength(1);
});

test.each([
  ['timed out', 'transient', page({ timedOut: 'true' })],
  ['a failed shard', 'transient', page({ shards: '{"total":2,"successful":1,"skipped":0,"failed":1}' })],
  [
    'a shard that never answered',
    'transient',
    page({ shards: '{"total":2,"successful":1,"skipped":0,"failed":0}' }),
  ],
  [
    'a shard whose context is gone',
    'snapshot_lost',
    page({
      shards:
        '{"total":1,"successful":0,"failed":1,"failures":[{"reason":{"type":"search_context_missing_exception","reason":"x"}}]}',
    }),
  ],
  ['no _shards', 'transient', Buffer.from('{"took":1,"timed_out":false,"hits":{"hits":[]}}')],
  ['no hits', 'transient', Buffer.from(`{"took":1,"timed_out":false,"_shards":${shards}}`)],
  ['no timed_out', 'transient', Buffer.from(`{"took":1,"_shards":${shards},"hits":{"hits":[]}}`)],
  ['an empty body', 'transient', Buffer.alloc(0)],
  ['a proxy page', 'transient', Buffer.from('<html>')],
  ['something behind the end', 'transient', page({ tail: '{}' })],
  [
    '_seq_no over 2^53',
    'invalid',
    page({ hit: goodHit.replace('"_seq_no":0', '"_seq_no":9007199254740993') }),
  ],
  ['no _source', 'invalid', page({ hit: goodHit.replace('"_source":{"a":1},', '') })],
  ['no _version', 'invalid', page({ hit: goodHit.replace('"_version":1,', '') })],
  ['a // comment behind a source', 'invalid', page({ hit: goodHit.replace('{"a":1}', '{"a":1} // x') })],
  ['a source in UTF-16', 'invalid', page({ hit: goodHit.replace('{"a":1}', '{\u0000}\u0000') })],
] as const)('%s: %s', (_name, kind, bytes) => {
  expect(thrownBy(() => readDocumentPage(bytes))).toMatchObject({ kind });
});

test('_mget keeps versions over 2^53 and routing, and distinguishes found from not found', () => {
  const bytes = Buffer.from(
    '{"docs":[{"_index":"t","_id":"a","_version":9223372036854775806,"_seq_no":4,"_primary_term":2,"_routing":"r\\"","found":true},' +
      '{"_index":"t","_id":"b","found":false}]}',
  );
  expect(readGetAnswer(bytes)).toEqual([
    {
      found: true,
      id: 'a',
      version: '9223372036854775806',
      seqNo: 4,
      primaryTerm: 2,
      routing: 'r"',
      source: undefined,
    },
    { found: false, id: 'b' },
  ]);
});

test('a routing of which half a surrogate pair was not refreshed yet is shown as a search shows it', () => {
  const bytes = Buffer.from(
    '{"docs":[{"_id":"a\\uD83D","_version":1,"_seq_no":4,"_primary_term":2,"_routing":"r\\uD83D","found":true}]}',
  );
  expect(readGetAnswer(bytes)).toMatchObject([{ id: 'a\ud83d', routing: 'r\ufffd' }]);
});

test.each([
  ['transient', '{"type":"no_shard_available_action_exception","reason":"No shard available"}'],
  ['not_found', '{"type":"index_not_found_exception","reason":"no such index [a]"}'],
])('an error of one document in _mget is thrown as %s', (kind, error) => {
  const bytes = Buffer.from(`{"docs":[{"_index":"t","_id":"a","error":${error}}]}`);
  expect(thrownBy(() => readGetAnswer(bytes))).toMatchObject({ kind });
});
