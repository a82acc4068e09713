import { createFewLines } from './few-lines';

test('an address has 20 lines, and the others are counted by kind', () => {
  const told: object[] = [];
  const lines = createFewLines((counts) => told.push(counts));
  const written = Array.from({ length: 25 }, () => lines.note('a', '401')).filter(Boolean);
  expect(written).toHaveLength(20);
  expect(lines.note('b', '403')).toBe(true);
  lines.close();
  expect(told).toEqual([{ '401': 5 }]);
});

test('kinds beyond a thousand are counted together', () => {
  const told: Record<string, number>[] = [];
  const lines = createFewLines((counts) => told.push(counts as Record<string, number>));
  for (let line = 0; line < 20; line += 1) lines.note('a', 'a');
  for (let kind = 0; kind < 1_010; kind += 1) lines.note('a', `kind ${kind}`);
  lines.close();
  expect(Object.keys(told[0] ?? {})).toHaveLength(1_001);
  expect(told[0]).toMatchObject({ others: 10 });
});
