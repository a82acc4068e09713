import { classifyItem } from './outcome';
import { readBulkAnswer, readItemAnswer } from './wire';

const classify = (answer: object, status = 0) =>
  classifyItem(readItemAnswer(Buffer.from(JSON.stringify(answer)), status));
const error = (type: string) => ({ error: { type, reason: 'because' } });

test.each([
  ['a write block', { ...error('cluster_block_exception'), status: 403 }, 'refused'],
  ['a rejection', { ...error('rejected_execution_exception'), status: 429 }, 'refused'],
  ['a shard without primary', { ...error('unavailable_shards_exception'), status: 503 }, 'unknown'],
  ['an error inside the server', { ...error('illegal_state_exception'), status: 500 }, 'unknown'],
  ['a version conflict', { ...error('version_conflict_engine_exception'), status: 409 }, 'conflict'],
  ['a mapping error', { ...error('mapper_parsing_exception'), status: 400 }, 'failed'],
  ['missing rights', { ...error('security_exception'), status: 403 }, 'failed'],
  ['a missing index', { ...error('index_not_found_exception'), status: 404 }, 'failed'],
  ['an update without its document', { ...error('document_missing_exception'), status: 404 }, 'failed'],
  [
    'success without a sequence number',
    { _index: 'i', result: 'created', _version: 1, status: 201 },
    'unknown',
  ],
])('%s', (_what, answer, type) => {
  expect(classify(answer).type).toBe(type);
});

test('a delete that found nothing is acknowledged', () => {
  const answer = { _index: 'i', _id: 'a', result: 'not_found', _version: 3, _seq_no: 4, _primary_term: 1 };
  expect(classify(answer, 404)).toEqual({
    type: 'acknowledged',
    acknowledgement: { index: 'i', result: 'not_found', version: '3', seqNo: 4, primaryTerm: 1 },
  });
});

test('a bulk answer keeps large versions and the bytes of updated documents', () => {
  const text =
    '{"took":1,"errors":false,"items":[' +
    '{"index":{"_index":"i","_id":"a","_version":9223372036854775807,"result":"updated","_seq_no":7,"_primary_term":2,"status":200}},' +
    '{"update":{"_index":"i","_id":"b","_version":2,"result":"updated","_seq_no":8,"_primary_term":2,' +
    '"get":{"_seq_no":8,"_primary_term":2,"found":true,"_source":{"x":1.0}},"status":200}}]}';
  const [first, second] = readBulkAnswer(Buffer.from(text));
  expect(first).toMatchObject({ version: '9223372036854775807', seqNo: 7, primaryTerm: 2, status: 200 });
  expect(second?.source?.toString()).toBe('{"x":1.0}');
});
