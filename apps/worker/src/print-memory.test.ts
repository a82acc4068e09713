import { createPrintMemory, digest } from './print-memory';

test('a print is the beginning of a SHA-256, also of texts that are equal in UTF-8', () => {
  // printf 'a\0b\0' | sha256sum
  expect(digest('ab').map((number) => number.toString(16))).toEqual(['f60eb28f', '4541ed3c', '3f982efc']);
  expect(digest('\ud800')).not.toEqual(digest('\ud801'));
});

test('bytes behind the text count as well, however many they are', () => {
  expect(digest('a', Buffer.from('b\0'))).toEqual(digest('ab'));
  const long = Buffer.alloc(2 ** 20, 'b\0');
  expect(digest('a', long)).toEqual(digest(`a${'b'.repeat(2 ** 19)}`));
  expect(digest('a', long.subarray(2))).not.toEqual(digest('a', long));
});

test('each process has a salt of its own', () => {
  const [one, other] = [createPrintMemory(), createPrintMemory()];
  expect(one.digest('a')).toEqual(one.digest('a'));
  expect(one.digest('a')).not.toEqual(other.digest('a'));
});

test('there is room for some, and not for everything', () => {
  const memory = createPrintMemory();
  expect(memory.take(2 ** 40)).toBe(false);
  expect(memory.take(2 ** 20)).toBe(true);
});
