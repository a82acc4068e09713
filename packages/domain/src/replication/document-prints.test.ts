import { createHash } from 'node:crypto';
import { type Digest, DocumentPrints, printBytes } from './document-prints';

const digest: Digest = (text) => {
  const bytes = createHash('sha256').update(text).digest();
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
};
const documentAt = (n: number) => ({
  id: `document-${n}`,
  routing: n % 3 === 0 ? `r${n}` : undefined,
  version: `${n % 7}`,
});

test('it has what was added, however often, and nothing else of a hundred thousand', () => {
  const count = 50_000;
  const prints = new DocumentPrints(count, digest);
  const added = Array.from({ length: 2 * count }, (_, n) => prints.add(documentAt(n % count)));
  expect(added).not.toContain(false);
  const known = Array.from({ length: 2 * count }, (_, n) => prints.has(documentAt(n)));
  expect(known.indexOf(false)).toBe(count);
  expect(known.lastIndexOf(true)).toBe(count - 1);
});

test('another version, another routing or none is another document', () => {
  const prints = new DocumentPrints(1, digest);
  prints.add({ id: 'a', routing: 'b', version: '3' });
  expect(prints.has({ id: 'a', routing: 'b', version: '3' })).toBe(true);
  expect(prints.has({ id: 'a', routing: 'b', version: '4' })).toBe(false);
  expect(prints.has({ id: 'a', routing: 'c', version: '3' })).toBe(false);
  expect(prints.has({ id: 'a', routing: undefined, version: '3' })).toBe(false);
  expect(prints.has({ id: 'ab', routing: undefined, version: '3' })).toBe(false);
});

test('prints that want the same place, and one of all zeros, stay distinct', () => {
  const numbers = new Map([
    ['1 -a', [16, 1, 1]],
    ['1 -b', [32, 1, 1]],
    ['1 -c', [16, 1, 2]],
    ['1 -d', [0, 0, 0]],
    ['1 -e', [16, 2, 1]],
  ] as const);
  const prints = new DocumentPrints(
    4,
    (text) => [...numbers].find(([key]) => key === text)?.[1] ?? [1, 1, 1],
  );
  const documents = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, routing: undefined, version: '1' }));
  expect(documents.map((document) => prints.add(document))).toEqual([true, true, true, true, false]);
  expect(documents.map((document) => prints.has(document))).toEqual([true, true, true, true, false]);
});

test('more than were announced are refused', () => {
  const prints = new DocumentPrints(2, digest);
  expect([1, 2, 1].map((n) => prints.add(documentAt(n)))).toEqual([true, true, true]);
  expect(prints.add(documentAt(3))).toBe(false);
  expect(prints.has(documentAt(3))).toBe(false);
});

test('it takes 12 bytes a place, and three of ten places stay free', () => {
  expect(printBytes(0)).toBe(12 * 16);
  expect(printBytes(7_000_000) / 12 / 10_000_000).toBeCloseTo(1, 4);
});
