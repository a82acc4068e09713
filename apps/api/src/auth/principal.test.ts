import { AoscError, type Grant } from '@aosc/contract';
import { callerOf } from '../start/caller';
import { keyEntry } from './__tests__/credentials';
import { hasRole, mayTransform, type Principal } from './principal';
import { readCredentials } from './read-credentials';

function principalWith(access: object, roles: readonly Grant[] = ['operate']): Principal {
  const entry = { ...keyEntry('bot', ['read']), roles, ...access };
  const [key] = readCredentials(JSON.stringify({ api_keys: [entry] })).apiKeys;
  if (key === undefined) throw new Error('the file names nobody');
  return key.principal;
}

function refusalOf(attempt: () => void): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof AoscError) return error.code;
    throw error;
  }
  return 'none';
}

test.each<[string, object, string, string]>([
  ['the index patterns hold for aliases', { index_patterns: ['a-*'] }, 'b', 'forbidden'],
  ['and let their own through', { index_patterns: ['a-*'] }, 'a-1', 'none'],
  ['alias patterns take their place', { index_patterns: ['a-*'], alias_patterns: ['b'] }, 'b', 'none'],
  ['for good', { index_patterns: ['a-*'], alias_patterns: ['b'] }, 'a-1', 'forbidden'],
  ['they may stand alone', { alias_patterns: ['b'] }, 'a-1', 'forbidden'],
  ['without any every alias may be used', {}, 'anything', 'none'],
])('aliases: %s', (_, access, alias, refusal) => {
  expect(refusalOf(() => callerOf(principalWith(access)).requireAlias(alias))).toBe(refusal);
});

test('who may transform: whoever is not limited, and of the others those to whom it is given', () => {
  const limited = { index_patterns: ['a-*'] };
  expect(mayTransform(undefined)).toBe(true);
  expect(mayTransform(principalWith({}))).toBe(true);
  expect(mayTransform(principalWith(limited))).toBe(false);
  expect(mayTransform(principalWith(limited, ['operate', 'transform']))).toBe(true);
});

test('transform is no step of the ladder of roles', () => {
  const principal = principalWith({}, ['operate', 'transform']);
  expect([hasRole(principal, 'read'), hasRole(principal, 'operate'), hasRole(principal, 'admin')]).toEqual([
    true,
    true,
    false,
  ]);
});
