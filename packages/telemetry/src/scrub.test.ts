import { scrubText, scrubValue } from './scrub';

test.each([
  ['GET http://admin:secret@node:9200/_search', 'GET http://***@node:9200/_search'],
  ['redis://:p@ss@cache:6379/0 refused', 'redis://***@cache:6379/0 refused'],
  ['https://token@host', 'https://***@host'],
  ['Authorization: Basic YWRtaW46YWRtaW4=', 'Authorization: ***'],
  ['{"authorization":"Bearer abc.def-ghi"}', '{"authorization":"***"}'],
  [
    'authorization: AWS4-HMAC-SHA256 Credential=ASIAX/20260101/us-east-1/es/aws4_request, SignedHeaders=host;x-amz-date, Signature=0a1b2c for GET /',
    'authorization: *** for GET /',
  ],
  [
    '{"message":"… x-amz-security-token:IQoJb3//Ab+c==\\nhost"}',
    '{"message":"… x-amz-security-token:***\\nhost"}',
  ],
  ['/?X-Amz-Credential=ASIAX%2Fes&X-Amz-Signature=0a1b', '/?X-Amz-Credential=***&X-Amz-Signature=***'],
  [
    'AWS_SECRET_ACCESS_KEY=wJalr/K7+x and AWS_SESSION_TOKEN=Fwo=',
    'AWS_SECRET_ACCESS_KEY=*** and AWS_SESSION_TOKEN=***',
  ],
  [
    '{"SecretAccessKey": "wJalr", "SessionToken": "Fwo"}',
    '{"SecretAccessKey": "***", "SessionToken": "***"}',
  ],
  ['header was Bearer eyJhbGciOi.J9', 'header was Bearer ***'],
])('%s', (text, clean) => {
  expect(scrubText(text)).toBe(clean);
});

test.each([
  'http://node:9200/idx/_doc/a@b',
  'basic information about shard 3',
  'index write (api) at 10:30',
  'mail to ops@example.org',
  'The security token included in the request is expired',
])('%s holds no secret and stays', (text) => {
  expect(scrubText(text)).toBe(text);
});

test('secrets inside nested fields go, by the name of the field and by what a text looks like', () => {
  const value = {
    headers: { Authorization: 'anything', 'content-type': 'application/json' },
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a secret', sessionToken: 'b' },
    urls: ['http://u:p@h', { inner: 'redis://:x@h' }],
    count: 3,
    big: 9007199254740993n,
  };
  expect(scrubValue(value)).toEqual({
    headers: { Authorization: '***', 'content-type': 'application/json' },
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: '***', sessionToken: '***' },
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
