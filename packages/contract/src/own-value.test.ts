import { ownValue } from '.';

const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

test.each(inherited)('%s is no object’s key until code sets it', (name) => {
  expect(ownValue<unknown>({}, name)).toBeUndefined();
  expect(ownValue<unknown>(JSON.parse(`{"${name}":7}`) as Record<string, unknown>, name)).toBe(7);
});

test('what is there is found, and nothing where there is no object', () => {
  expect(ownValue({ books: 1 }, 'books')).toBe(1);
  expect(ownValue<number>(undefined, 'books')).toBeUndefined();
});
