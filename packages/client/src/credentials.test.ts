import { isLoopback, toAuthorization } from './credentials.ts';

test('an API key', () => expect(toAuthorization({ apiKey: 'k3y' })).toBe('ApiKey k3y'));

test('user and password, as UTF-8', () => {
  const value = toAuthorization({ username: 'ännä', password: 'p:ö' });
  expect(Buffer.from(value.replace('Basic ', ''), 'base64').toString('utf8')).toBe('ännä:p:ö');
});

test.each(['', 'two words', 'line\nbreak', 'ö'])('refuses the API key %j', (apiKey) => {
  expect(() => toAuthorization({ apiKey })).toThrow(TypeError);
});

test('refuses a colon in a name', () => {
  expect(() => toAuthorization({ username: 'a:b', password: 'p' })).toThrow(TypeError);
});

test.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]'])('%s is this machine', (name) =>
  expect(isLoopback(name)).toBe(true),
);
test.each(['localhost.example', '128.0.0.1', '127.0.0.1.example', '[::2]', '0.0.0.0'])('%s is not', (name) =>
  expect(isLoopback(name)).toBe(false),
);
