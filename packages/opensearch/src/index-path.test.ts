import { aliasPath, documentPath, indexPath } from './index-path';
import { thrownBy } from './__tests__/thrown-by';

test.each(['orders', '.aosc-migrations', 'a_b-c+d', 'größe', 'v1.2'])(
  '%s is a concrete index name',
  (name) => {
    expect(decodeURIComponent(indexPath(name))).toBe(name);
  },
);

test.each([
  ...['', '.', '..', '_all', '_x', '-x', '+x', '*', 'a*', 'a?', 'a,b', 'a/b', 'a\\b', 'a b', 'a#b', 'a:b'],
  ...[
    '<a-{now/d}>',
    'a"b',
    'a|b',
    'a\nb',
    'a\u0000',
    'Upper',
    'ÄRGER',
    'x'.repeat(256),
    'ä'.repeat(128),
    '\ud800',
  ],
])('%j is refused as an index name', (name) => {
  expect(thrownBy(() => indexPath(name))).toMatchObject({ kind: 'invalid' });
});

test('an alias may have capitals, and nothing else more than an index', () => {
  expect(aliasPath('Orders')).toBe('Orders');
  expect(thrownBy(() => aliasPath('Orders*'))).toMatchObject({ kind: 'invalid' });
});

test('a document id is encoded as one path segment', () => {
  expect(documentPath('a/b?c#d e')).toBe('a%2Fb%3Fc%23d%20e');
  expect(thrownBy(() => documentPath('..'))).toMatchObject({ kind: 'invalid' });
});
