import { createFewLines } from './few-lines';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('an address has 20 lines, then those that double their number', () => {
  const lines = createFewLines();
  const written = numbers(1_000).flatMap(() => lines('a') ?? []);
  expect(written).toEqual([...numbers(20), 32, 64, 128, 256, 512]);
});

test('another address has lines of its own', () => {
  const lines = createFewLines();
  for (let times = 0; times < 25; times += 1) lines('a');
  expect([lines('a'), lines('b')]).toEqual([undefined, 1]);
});
