import { type Arena, startArena } from './hostile/arena';
import { testNamedStarts, testPlainStart } from './hostile/named-starts';
import { runStarts } from './hostile/run';

jest.setTimeout(600_000);

let arena: Arena;
beforeAll(async () => {
  arena = await startArena();
});
afterAll(() => arena.stop());

describe('a key with the role operate and the pattern a-* is refused', () => {
  testNamedStarts(() => arena);
});

testPlainStart(() => arena);

test('starts grown from the whole query DSL: no 5xx, no node lost, nothing outside read, written or named, nobody busy', async () => {
  const starts = 600;
  const { statuses, asFarAsTheCluster } = await runStarts(arena, { seed: 20_261_122, starts });
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(starts);
  // Without these the run would show that everything is refused, and nothing else.
  expect(asFarAsTheCluster).toBeGreaterThan(starts / 20);
});
