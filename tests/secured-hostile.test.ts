import { type Arena, startArena } from './hostile/arena';
import { testNamedStarts, testPlainStart } from './hostile/named-starts';
import { runStarts } from './hostile/run';

jest.setTimeout(600_000);

/** A service that has the documented role, for the indices of two teams. */
let arena: Arena;
beforeAll(async () => {
  arena = await startArena({ secured: true });
});
afterAll(() => arena.stop());

describe('a key with the role operate and the pattern a-* is refused', () => {
  testNamedStarts(() => arena);
});

testPlainStart(() => arena);

test('starts grown from the whole query DSL: no 5xx, no node lost, nothing outside read, written or named, nobody busy', async () => {
  const starts = 600;
  const { asFarAsTheCluster } = await runStarts(arena, { seed: 20_261_123, starts });
  expect(asFarAsTheCluster).toBeGreaterThan(starts / 20);
});
