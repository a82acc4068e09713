import { DocumentPrints, printBytes } from './document-prints';

const documentAt = (n: number) => ({
  id: `document-${n}`,
  routing: n % 3 === 0 ? `r${n}` : undefined,
  version: `${n % 7}`,
});

test('it has what was added, however often, and nothing else of a hundred thousand', () => {
  const count = 50_000;
  const prints = new DocumentPrints(count);
  for (let n = 0; n < 2 * count; n += 1) prints.add(documentAt(n % count));
  const known = Array.from({ length: 2 * count }, (_, n) => prints.has(documentAt(n)));
  expect(known.indexOf(false)).toBe(count);
  expect(known.lastIndexOf(true)).toBe(count - 1);
});

test('another version, another routing or none is another document', () => {
  const prints = new DocumentPrints(1);
  prints.add({ id: 'a', routing: 'b', version: '3' });
  expect(prints.has({ id: 'a', routing: 'b', version: '3' })).toBe(true);
  expect(prints.has({ id: 'a', routing: 'b', version: '4' })).toBe(false);
  expect(prints.has({ id: 'a', routing: 'c', version: '3' })).toBe(false);
  expect(prints.has({ id: 'a', routing: undefined, version: '3' })).toBe(false);
  expect(prints.has({ id: 'ab', routing: undefined, version: '3' })).toBe(false);
});

test('more than were announced are refused', () => {
  const prints = new DocumentPrints(2);
  prints.add(documentAt(1));
  prints.add(documentAt(2));
  prints.add(documentAt(1));
  expect(() => prints.add(documentAt(3))).toThrow(RangeError);
});

test('it takes 8 bytes a place, and at least two fifths of the places stay free', () => {
  expect(printBytes(0)).toBe(128);
  expect(printBytes(9)).toBe(128);
  expect(printBytes(10)).toBe(256);
  expect(printBytes(5_000_000)).toBe(8 * 2 ** 23);
});
