import { joinedTransformPipeline, transformPipeline } from './pipeline';
import { findUnpredictable, mayRewriteIdentity } from './script';

test.each([
  ['ctx._id = 1', true],
  ["ctx['_id'] = ctx._source.sku", true],
  ['ctx._routing=null', true],
  ['def i = ctx._id; ctx._source.copy = i', true],
  ['ctx._source.user_id = 1; ctx._source.my_routing = 2', false],
  ['ctx._source._ids = 1; ctx._source._id_old = 2', false],
  ['ctx._source.remove("x")', false],
])('%s may rewrite ids: %s', (source, expected) => {
  expect(mayRewriteIdentity({ source })).toBe(expected);
});

test('a name of metadata may come as a parameter', () => {
  const source = 'ctx[params.field] = 1';
  expect(mayRewriteIdentity({ source, params: { field: '_id' } })).toBe(true);
  expect(mayRewriteIdentity({ source, params: { deep: [{ field: '_routing' }] } })).toBe(true);
  expect(mayRewriteIdentity({ source, params: { field: 'user_id' } })).toBe(false);
});

test.each([
  ['ctx._id = ctx._now', '_now'],
  ["ctx['_now']", '_now'],
  ['Math.random()', 'random('],
  ['UUID.randomUUID()', 'randomUUID('],
  ['new Random(3)', 'Random('],
  ['System.currentTimeMillis ()', 'currentTimeMillis ('],
  ['System.nanoTime()', 'nanoTime('],
  ['Instant.now()', 'now('],
  ['new Date()', 'new Date()'],
  ['new Date(ctx._source.time)', undefined],
  ['ctx._source.random = ctx._source.known_now', undefined],
])('the clock or chance in %j: %j', (source, expected) => {
  expect(findUnpredictable({ source })).toBe(expected);
});

const inBulks = { rewritesIdentity: false, fences: 'f-' };

test('the script goes in as it is, with its parameters', () => {
  const text = { source: 'return;', params: { a: 1 } };
  const [first, second, ...more] = transformPipeline(text, inBulks).processors;
  expect(first).toEqual({ script: { lang: 'painless', ...text } });
  expect(second?.script.source).toContain("startsWith('f-')");
  expect(more).toEqual([]);
});

test('only inside a bulk the identity is compared', () => {
  const finish = (rewritesIdentity: boolean): string =>
    transformPipeline({ source: '' }, { rewritesIdentity, fences: 'f-' }).processors[1]?.script.source ?? '';
  expect(finish(false)).toContain('without naming it');
  expect(finish(true)).not.toContain('without naming it');
});

test("one script holds both, with the parameters, where the first can't end early", () => {
  const text = { source: 'ctx._source.returned = params.a // last line', params: { a: 1 } };
  const joined = joinedTransformPipeline(text, inBulks)?.processors.map(({ script }) => script);
  const ending = transformPipeline(text, inBulks).processors[1]?.script.source ?? '-';
  expect(joined).toEqual([{ lang: 'painless', source: expect.any(String) as string, params: { a: 1 } }]);
  expect(joined?.[0]?.source).toContain(`{\n${text.source}\n}\n`);
  expect(joined?.[0]?.source.endsWith(ending)).toBe(true);
});

test.each(['return;', "if (ctx._source.a == 1) {return} ctx._source.b = 'c'"])(
  'what may end early stays a script of its own: %s',
  (source) => {
    expect(joinedTransformPipeline({ source }, inBulks)).toBeUndefined();
  },
);
