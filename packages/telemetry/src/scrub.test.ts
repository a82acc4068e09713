import { scrubText, scrubValue } from './scrub';

test.each([
  ['GET http://admin:secret@node:9200/_search', 'GET http://***@node:9200/_search'],
  ['redis://:p@ss@cache:6379/0 refused', 'redis://***@cache:6379/0 refused'],
  ['https://token@host', 'https://***@host'],
  ['Authorization: Basic YWRtaW46YWRtaW4=', 'Authorization: ***'],
  ['{"authorization":"Bearer abc.def-ghi"}', '{"authorization":"***"}'],
  ['header was Bearer eyJhbGciOi.J9', 'header was Bearer ***'],
])('%s', (text, clean) => {
  expect(scrubText(text)).toBe(clean);
});

test.each([
  'http://node:9200/idx/_doc/a@b',
  'basic information about shard 3',
  'index write (api) at 10:30',
  'mail to ops@example.org',
])('%s holds no secret and stays', (text) => {
  expect(scrubText(text)).toBe(text);
});

test('secrets inside nested fields go, by the name of the field and by what a text looks like', () => {
  const value = {
    headers: { Authorization: 'anything', 'content-type': 'application/json' },
    urls: ['http://u:p@h', { inner: 'redis://:x@h' }],
    count: 3,
    big: 9007199254740993n,
  };
  expect(scrubValue(value)).toEqual({
    headers: { Authorization: '***', 'content-type': 'application/json' },
    urls: ['http://***@h', { inner: 'redis://***@h' }],
    count: 3,
    big: '9007199254740993',
  });
  expect(value.headers.Authorization).toBe('anything');
});

test('a value that contains itself is cut', () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  expect(JSON.stringify(scrubValue(loop))).toContain('[deeper]');
});
