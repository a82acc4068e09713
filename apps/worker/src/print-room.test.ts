import { createPrintRoom, digest } from './print-room';

test('a print is the beginning of a SHA-256, also of texts that are equal in UTF-8', () => {
  // printf 'a\0b\0' | sha256sum
  expect(digest('ab').map((number) => number.toString(16))).toEqual(['f60eb28f', '4541ed3c', '3f982efc']);
  expect(digest('\ud800')).not.toEqual(digest('\ud801'));
});

test('each process has a salt of its own', () => {
  const [one, other] = [createPrintRoom(), createPrintRoom()];
  expect(one.digest('a')).toEqual(one.digest('a'));
  expect(one.digest('a')).not.toEqual(other.digest('a'));
});

test('there is room for some, and not for everything', () => {
  const room = createPrintRoom();
  expect(room.take(2 ** 40)).toBe(false);
  expect(room.take(2 ** 20)).toBe(true);
});
