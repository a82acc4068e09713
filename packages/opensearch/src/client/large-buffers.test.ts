import { giveLargeBuffer, takeLargeBuffer } from './large-buffers';

const megabyte = 2 ** 20;

test('a returned buffer is used again, for less and for as much', () => {
  const first = takeLargeBuffer(megabyte);
  giveLargeBuffer(first);
  const second = takeLargeBuffer(megabyte - 5);
  expect(second).toHaveLength(megabyte - 5);
  expect(second.buffer).toBe(first.buffer);
  giveLargeBuffer(second);
  const third = takeLargeBuffer(megabyte);
  expect(third).toHaveLength(megabyte);
  expect(third.buffer).toBe(first.buffer);
});

test('two takers never share memory, nor does one who needs more get too little', () => {
  const first = takeLargeBuffer(megabyte);
  const second = takeLargeBuffer(megabyte);
  expect(second.buffer).not.toBe(first.buffer);
  giveLargeBuffer(first);
  expect(takeLargeBuffer(3 * megabyte)).toHaveLength(3 * megabyte);
});

test('a small one is not kept, and what is kept is bounded', () => {
  const small = takeLargeBuffer(100);
  giveLargeBuffer(small);
  expect(takeLargeBuffer(100).buffer).not.toBe(small.buffer);
  const many = Array.from({ length: 100 }, () => takeLargeBuffer(megabyte));
  many.forEach(giveLargeBuffer);
  const again = new Set(Array.from({ length: 100 }, () => takeLargeBuffer(megabyte).buffer));
  expect(many.filter(({ buffer }) => again.has(buffer))).toHaveLength(64);
});
