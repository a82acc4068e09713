import { digest, DocumentTable } from './document-table';

const row = (key: string, version: bigint, source: string) => ({
  key: digest(key),
  version,
  source: digest(source),
});

test('what was added is matched by key, version and source', () => {
  const table = new DocumentTable(5_000);
  for (let n = 0; n < 5_000; n += 1) expect(table.add(row(`k${n}`, BigInt(n), `s${n}`))).toBe(true);
  for (let n = 0; n < 4_999; n += 1) {
    expect(table.match(row(`k${n}`, BigInt(n), `s${n}`))).toEqual({
      seenBefore: false,
      sameVersion: true,
      sameSource: true,
    });
  }
  expect(table.match(row('other', 1n, 's'))).toBeUndefined();
  expect(table.countUnseen()).toBe(1);
  expect(table.isUnseen(digest('k4999'))).toBe(true);
  expect(table.isUnseen(digest('k1'))).toBe(false);
});

test('versions beyond 2^53 differ where a number would not', () => {
  const table = new DocumentTable(1);
  table.add(row('a', 9_007_199_254_740_993n, 's'));
  expect(table.match(row('a', 9_007_199_254_740_992n, 's'))).toMatchObject({ sameVersion: false });
  expect(table.match(row('a', 9_007_199_254_740_993n, 't'))).toEqual({
    seenBefore: true,
    sameVersion: true,
    sameSource: false,
  });
});

test('a second document with the same key is refused', () => {
  const table = new DocumentTable(2);
  expect(table.add(row('a', 1n, 's'))).toBe(true);
  expect(table.add(row('a', 2n, 't'))).toBe(false);
});

test('more documents than announced are an error, not an endless search', () => {
  const table = new DocumentTable(0);
  expect(() => {
    for (let n = 0; n < 20; n += 1) table.add(row(`k${n}`, 1n, 's'));
  }).toThrow('more documents');
});
