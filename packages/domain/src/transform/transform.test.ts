import { lacksSemicolon, splitLeadingFunctions } from './script-text';
import { joinedTransformPipeline, separateTransformPipeline } from './pipeline';
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
const before = { rewritesIdentity: true, fences: 'f-' };

test('the script is a function of the one that runs, with its parameters, and its own functions stay in front', () => {
  const text = { source: 'int one() { 1 } ctx._source.a = params.a // last line', params: { a: 1 } };
  const [joined, ...more] = joinedTransformPipeline(text, inBulks).processors.map(({ script }) => script);
  expect(more).toEqual([]);
  expect(joined?.params).toEqual({ a: 1 });
  expect(joined?.source).toMatch(
    /^int one\(\) \{ 1 \}\s+void aoscTransform\(Map ctx, Map params\) \{\s+ctx\._source\.a = params\.a \/\/ last line\n;\}/,
  );
  expect(joined?.source).toContain('aoscTransform(ctx, params);');
  expect(joined?.source).toContain("startsWith('f-')");
});

test('as two scripts it goes in as it is', () => {
  const text = { source: 'return;', params: { a: 1 } };
  const [first, second, ...more] = separateTransformPipeline(text, inBulks)?.processors ?? [];
  expect(first).toEqual({ script: { lang: 'painless', ...text } });
  expect(second?.script.source).toContain("startsWith('f-')");
  expect(more).toEqual([]);
});

test('only inside a bulk the identity is compared', () => {
  const text = { source: 'return;' };
  for (const make of [joinedTransformPipeline, separateTransformPipeline]) {
    expect(make(text, inBulks)?.processors.at(-1)?.script.source).toContain('without naming it');
    expect(make(text, before)?.processors.at(-1)?.script.source).not.toContain('without naming it');
  }
});

test.each([{ d: { a: 1 } }, { l: [1] }, { a: 1, d: { deep: [] } }])(
  'documents would share what params %j hold: each has a copy, and there are no two scripts',
  (params) => {
    const text = { source: 'ctx._source.d = params.d', params };
    expect(joinedTransformPipeline(text, inBulks).processors[0]?.script.source).toContain('aoscCopy(params)');
    expect(separateTransformPipeline(text, inBulks)).toBeUndefined();
  },
);

test('plain params need no copy', () => {
  const text = { source: 'ctx._source.a = params.a', params: { a: 'x', b: null, c: 1.5, d: false } };
  expect(joinedTransformPipeline(text, inBulks).processors[0]?.script.source).not.toContain('aoscCopy');
});

test.each([
  ['none', '', 'ctx._source.a = 1'],
  ['one', 'int f(int n) { return n; }', ' ctx._source.a = f(1)'],
  [
    'several, with comments',
    '// } first\nint f() { /* } */ 1 } /* { */ String[] g(def a, Map b) {\n"}" + \'{\' }',
    '\ng(f())',
  ],
  ['blocks within', 'def f(Map m) { if (m.x) { return 1 } else { return [2] } }', 'ctx.a = f(ctx)'],
  ['a type of a package', 'java.util.List f() { [1] }', ';ctx.b = f()'],
  ['a condition is none', '', 'if (ctx._source.a == 1) { ctx._source.b = 2 }'],
  ['a declaration is none', '', 'int a = f (1); { }'],
  ['a lambda is none', '', 'def f = (a) -> { a }; f'],
  ['one that does not end', '', 'int f() { "}" '],
])('functions in front: %s', (_, functions, rest) => {
  expect(splitLeadingFunctions(functions + rest)).toEqual([functions, rest]);
});

test.each([
  ['', false],
  ['// nothing', false],
  ['ctx.a = 1', true],
  ['ctx.a = 1;', false],
  ['ctx.a = 1; // b', false],
  ['ctx.a = 1 /* ; */', true],
  ["if (ctx.a == 1) ctx.b = ';'", true],
  ['if (ctx.a == 1) { ctx.b = 2 }\n', false],
])('%j lacks a semicolon at its end: %s', (source, expected) => {
  expect(lacksSemicolon(source)).toBe(expected);
});
