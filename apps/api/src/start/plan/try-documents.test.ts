import { groupRefusals, refusalsIn } from './try-documents';

test('the most frequent reason comes first, with ten ids at the most', () => {
  const refusals = Array.from({ length: 30 }, (_, n) => ({
    type: 'refused',
    reason: n % 3 === 0 ? 'rare' : 'usual',
    id: String(n),
  }));
  expect(groupRefusals(refusals)).toEqual([
    { reason: 'refused: usual', count: 20, ids: ['1', '2', '4', '5', '7', '8', '10', '11', '13', '14'] },
    { reason: 'refused: rare', count: 10, ids: ['0', '3', '6', '9', '12', '15', '18', '21', '24', '27'] },
  ]);
});

test('only what no other try would change is a refusal of the target', () => {
  const failed = (kind: 'fatal' | 'conflict' | 'overload') => ({ kind, id: kind, type: 'no', reason: 'no' });
  expect(refusalsIn([failed('conflict'), failed('fatal'), failed('overload')])).toEqual([
    { id: 'fatal', type: 'no', reason: 'no' },
  ]);
});
