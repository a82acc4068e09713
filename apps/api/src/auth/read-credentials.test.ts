import { ShapeError } from '@aosc/contract';
import { keyEntry, keyHash, passwordHash } from './__tests__/credentials';
import { CredentialsError, readCredentials } from './read-credentials';

function problemOf(text: string): string {
  try {
    readCredentials(text);
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof ShapeError) return error.message;
    throw error;
  }
  return 'none';
}
const problemWith = (file: object) => problemOf(JSON.stringify(file));
const key = keyEntry('bot', ['read']);

test.each([
  ['no JSON', '{ "users": [ "s3cret"', 'is not JSON'],
  ['an array', '[]', 'must be object'],
  ['nobody', '{}', 'has no user and no API key'],
  ['empty lists', '{"users": [], "api_keys": []}', 'has no user and no API key'],
])('%s', (_what, text, phrase) => {
  expect(problemOf(text)).toContain(phrase);
  expect(problemOf(text)).not.toContain('s3cret');
  expect(problemOf(text)).not.toContain('\n');
});

test.each([
  ['an unknown field', { api_keys: [{ ...key, role: 'admin' }] }, '/api_keys/0'],
  ['an unknown role', { api_keys: [{ ...key, roles: ['root'] }] }, '/api_keys/0/roles/0'],
  ['no role', { api_keys: [{ ...key, roles: [] }] }, '/api_keys/0/roles'],
  ['a name with a line break', { api_keys: [{ ...key, name: 'a\nb' }] }, '/api_keys/0/name'],
  ['no pattern', { api_keys: [{ ...key, index_patterns: [] }] }, 'index_patterns'],
  ['a list in a pattern', { api_keys: [{ ...key, index_patterns: ['a,b'] }] }, 'index_patterns'],
  ['a plain password', { users: [{ name: 'ann', password_hash: 's3cret', roles: ['read'] }] }, 'user [ann]'],
  ['a plain key', { api_keys: [{ ...key, key_hash: 's3cret' }] }, 'API key [bot]'],
  ['a name twice', { api_keys: [key, { ...key, key_hash: keyHash('other') }] }, 'twice'],
  ['a key twice', { api_keys: [key, { ...key, name: 'other' }] }, 'twice'],
  ['no alias pattern', { api_keys: [{ ...key, alias_patterns: [] }] }, 'alias_patterns'],
  [
    'an admin of some aliases',
    { api_keys: [{ ...key, roles: ['admin'], alias_patterns: ['a-*'] }] },
    'the role admin and alias_patterns',
  ],
  ['a transform and nothing else', { api_keys: [{ ...key, roles: ['transform'] }] }, 'without operate'],
  ['an admin of some indices', { api_keys: [keyEntry('bot', ['admin'], ['a-*'])] }, 'Give up one of the two'],
])('%s is refused', (_what, file, phrase) => {
  expect(problemWith(file)).toContain(phrase);
  expect(problemWith(file)).not.toContain('s3cret');
});

test('a user twice is refused', () => {
  const user = { name: 'ann', password_hash: passwordHash('password'), roles: ['read'] };
  expect(problemWith({ users: [user, user] })).toContain('user [ann] is there twice');
});
