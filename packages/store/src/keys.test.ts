import { documentIds, migrationKey } from './keys';

const long = `${'s'.repeat(255)}__${'t'.repeat(255)}__1700000000000`;

test('a key is 20 hexadecimal digits, the same for the same id', () => {
  expect(migrationKey('books__books2__1')).toBe('535f5d00ca02697c1799');
  expect(migrationKey(long)).toMatch(/^[0-9a-f]{20}$/);
  expect(migrationKey('a__b__1')).not.toBe(migrationKey('a__b__2'));
});

test('document ids stay below the limit of 512 bytes, whatever the names of the indices are', () => {
  const key = migrationKey(long);
  const ids = [
    documentIds.migration(key),
    documentIds.shard(key, 1023),
    documentIds.claim('target', 'ä'.repeat(127)),
    documentIds.settings,
  ];
  for (const id of ids) expect(Buffer.byteLength(id)).toBeLessThan(64);
});

test('the claims on one index as source and as target are two documents', () => {
  expect(documentIds.claim('source', 'books')).not.toBe(documentIds.claim('target', 'books'));
});
