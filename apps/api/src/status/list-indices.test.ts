import type { Principal } from '../auth/principal';
import { listIndicesFor } from './list';

const found = new Map([
  ['orders-2', ['orders', 'aosc-fence-0123456789abcdef0123-0-1']],
  ['orders-1', ['secret', 'all']],
  ['.hidden', ['orders']],
  ['books', []],
]);
const limited: Principal = {
  name: 'o',
  kind: 'api_key',
  roles: ['read'],
  indexPatterns: ['orders-*'],
  aliasPatterns: ['orders', 'all'],
};

test("indices by name with their aliases, without hidden ones and the service's own names", () => {
  expect(listIndicesFor(undefined, found, '')).toEqual({
    indices: [
      { name: 'books', aliases: [] },
      { name: 'orders-1', aliases: ['all', 'secret'] },
      { name: 'orders-2', aliases: ['orders'] },
    ],
    truncated: false,
  });
});

test('a part of a name finds an index by its alias as well', () => {
  const names = (contains: string) =>
    listIndicesFor(undefined, found, contains).indices.map(({ name }) => name);
  expect(names('secr')).toEqual(['orders-1']);
  expect(names('ders')).toEqual(['orders-1', 'orders-2']);
});

test('a limited credential sees its own indices and aliases, and can not look for others', () => {
  expect(listIndicesFor(limited, found, '').indices).toEqual([
    { name: 'orders-1', aliases: ['all'] },
    { name: 'orders-2', aliases: ['orders'] },
  ]);
  expect(listIndicesFor(limited, found, 'secret').indices).toEqual([]);
});

test('500 are listed, and more are told of', () => {
  const many = new Map(Array.from({ length: 501 }, (_, n) => [`index-${n}`, []] as const));
  const { indices, truncated } = listIndicesFor(undefined, many, '');
  expect([indices.length, truncated]).toEqual([500, true]);
});
