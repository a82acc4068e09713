import { splitScript } from './script-text';
import { transformPipeline } from './pipeline';
import { findUnpredictable, mayRewriteIdentity, type TransformText } from './script';

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

const compiled = (text: TransformText, rewritesIdentity = false): string =>
  transformPipeline(text, { rewritesIdentity })
    .processors.map(({ script }) => script.source)
    .join('');

test("the operator's text is a function of the script that runs, with its parameters, and its own functions stay in front", () => {
  const text = { source: 'int one() { 1 } ctx._source.a = params.a // last line', params: { a: 1 } };
  const [script, ...more] = transformPipeline(text, { rewritesIdentity: false }).processors;
  expect(more).toEqual([]);
  expect(script?.script.params).toEqual({ a: 1 });
  expect(compiled(text)).toMatch(
    /^int one\(\) \{ 1 \}\s+void aoscTransform\(Map ctx, Map params\) \{\s+ctx\._source\.a = params\.a \/\/ last line\n;\}/,
  );
  expect(compiled(text)).toContain('aoscTransform(ctx, params);');
});

test('only inside a bulk the identity is compared', () => {
  expect(compiled({ source: 'return;' })).toContain('without naming it');
  expect(compiled({ source: 'return;' }, true)).not.toContain('without naming it');
});

test.each([{ d: { a: 1 } }, { l: [1] }, { a: 1, d: { deep: [] } }])(
  'documents would share what params %j hold: each has a copy',
  (params) => {
    expect(compiled({ source: 'ctx._source.d = params.d', params })).toContain('aoscCopyOf(params)');
  },
);

test('plain params need no copy', () => {
  const params = { a: 'x', b: null, c: 1.5, d: false };
  expect(compiled({ source: 'ctx._source.a = params.a', params })).not.toContain('aoscCopy');
});

test.each([
  ['none', '', 'ctx._source.a = 1'],
  ['one', 'int f(int n) { return n; }', ' ctx._source.a = f(1)'],
  [
    'several, with comments',
    '// } first\nint f() { /* } */ 1 } /* { */ String[] g(def a, // )\n Map b) // {\n {\n"}" + \'{\' }',
    '\ng(f())',
  ],
  ['a comment in a header', 'int /* c */ f(int a) { a }', ' f(1)'],
  ['blocks within', 'def f(Map m) { if (m.x) { return 1 } else { return [2] } }', 'ctx.a = f(ctx)'],
  ['a type of a package', 'java.util.List f() { [1] }', ';ctx.b = f()'],
  [
    'regular expressions',
    'boolean f(String s) { s =~ /[}\'"]/i || s ==~ /\\/{/ }',
    ' ctx.a = f(ctx.b) ? 1 : 2',
  ],
  [
    'divisions',
    'int f(int a) { int[] b = [1]; (a) / 2 + b[0] / a / 2 }',
    " ctx.a = f(4) / 2; String s = '/}'",
  ],
  ['a condition is none', '', 'if (ctx._source.a == 1) { ctx._source.b = 2 } else if (x) { }'],
  ['a declaration is none', '', 'int a = f (1); if (a > 1) { }'],
  ['a lambda is none', '', 'def f = (a) -> { a }; f'],
])('functions in front: %s', (_, functions, statements) => {
  expect(splitScript(functions + statements)).toMatchObject({ functions, statements });
});

test.each([
  'int f() { "}" ',
  'ctx.a = 1; } if (ctx != null) { return; ',
  'if (ctx.a > 1) { ctx.a = 1 } }',
  "/* } */ ctx.a = '}'; {",
])('a brace too many, or too few: %s', (source) => {
  expect(splitScript(source)).toBeUndefined();
  const [alone, refusal] = transformPipeline({ source }, { rewritesIdentity: false }).processors;
  expect(alone?.script.source).toBe(source);
  expect(refusal?.script.source).toContain('throw');
});

test.each([
  ['', false],
  ['// nothing', false],
  ['ctx.a = 1', true],
  ['ctx.a = 1;', false],
  ['ctx.a = 1; // b', false],
  ['ctx.a = 1 /* ; */', true],
  ["if (ctx.a == 1) ctx.b = ';'", true],
  ["if ('a' ==~ /'?a/) { ctx.b = 2 } // don't", false],
  ['int f() { 1 }', false],
  ['if (ctx.a > 1) ctx.b = new int[] {1, 2}', true],
  ['ctx.b = new int[][] {new int[] {1}, new int[] {2}} // }', true],
  ['if (ctx.a > 1) f = x -> { return x; }', true],
  ['if (ctx.a > 1) { ctx.b = new int[] {1}; }', false],
  ['while (ctx.a-- > 1) { ctx.b[0] = 1 }', false],
])('%j lacks a semicolon at its end: %s', (source, lacksSemicolon) => {
  expect(splitScript(source)).toMatchObject({ lacksSemicolon });
});
