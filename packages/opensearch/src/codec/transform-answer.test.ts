import type { RawDocument } from '@aosc/engine';
import { thrownBy } from '../__tests__/thrown-by';
import { readTransformAnswer } from './transform-answer';
import { wrapSource } from './wrap-source';

const document = (source: string): RawDocument => ({
  idToken: '"a"',
  routingToken: undefined,
  version: '9007199254740993',
  source: Buffer.from(source),
  size: source.length,
});

const answer = (docs: string): Buffer => Buffer.from(`{"docs":[${docs}]}`);
const metadata = '"_index":"t","_ingest":{"timestamp":"2026-01-01T00:00:00Z"}';

test('a document keeps its version and the bytes of its new source', () => {
  const origin = document('{}');
  const docs = `{"doc":{${metadata},"_routing":"r","_id":"b","_source":{"big":9007199254740993,"one":1.0}}}`;
  const [result] = readTransformAnswer(answer(docs), [origin]);
  expect(result).toMatchObject({
    document: { idToken: '"b"', routingToken: '"r"', version: '9007199254740993', origin },
  });
  expect(result && 'document' in result && Buffer.from(result.document.source).toString()).toBe(
    '{"big":9007199254740993,"one":1.0}',
  );
});

test('an error belongs to its own document', () => {
  const docs = `{"doc":{${metadata},"_id":"b","_source":{}}},{"error":{"type":"x","reason":"y","root_cause":[]}}`;
  const results = readTransformAnswer(answer(docs), [document('{}'), document('{}')]);
  expect(results[0]).toHaveProperty('document.routingToken', undefined);
  expect(results[1]).toEqual({ failure: { type: 'x', reason: 'y' } });
});

test.each([
  ['compile error', 'unexpected token', 'compile error; illegal_argument_exception: unexpected token'],
  ['runtime error', '{secret=payroll}', 'runtime error; illegal_argument_exception'],
  [
    'runtime error',
    'the transform must leave an object in ctx._source',
    'runtime error; illegal_argument_exception: the transform must leave an object in ctx._source',
  ],
])('a script’s %s because of %j is reported as %j', (reason, cause, told) => {
  const error = {
    type: 'script_exception',
    reason,
    script_stack: ['throw x', '^---- HERE'],
    caused_by: { type: 'illegal_argument_exception', reason: cause },
  };
  const results = readTransformAnswer(answer(JSON.stringify({ error })), [document('{}')]);
  expect(results).toEqual([
    { failure: { type: 'script_exception', reason: `${told}; script stack: throw x ^---- HERE` } },
  ]);
});

test.each([
  ['too few documents', answer('')],
  ['too many', answer('{"error":{"type":"x"}},{"error":{"type":"x"}}')],
  ['neither a document nor an error', answer('{}')],
  ['a truncated answer', Buffer.from('{"docs":[{"error":{"type":"x"}}')],
])('%s prove nothing', (_name, bytes) => {
  expect(thrownBy(() => readTransformAnswer(bytes, [document('{}')]))).toMatchObject({ kind: 'transient' });
});

test.each([
  ['{"a":1}', '{"a":1}'],
  [' \n{"a":\n1} ', '  {"a": 1} '],
  ['\ufeff{"a":1}', '{"a":1}'],
  [' \ufeff{"a":1}', '{"a":1}'],
  ['{"a":"//"} /* x */', '{"a":"//"} /* x */'],
])('%j goes into its wrapper as %j', (stored, written) => {
  expect(Buffer.concat(wrapSource(document(stored), 3)).toString()).toBe(
    `{"op":"index","op_type":"index","source_shard_id":3,"_source":${written}}`,
  );
});
