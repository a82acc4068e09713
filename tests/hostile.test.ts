import { type Arena, startArena } from './hostile/arena';
import { testNamedStarts, withQuery } from './hostile/named-starts';
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

test('the start that all others are variations of is refused at its last check alone', async () => {
  const { status, body } = await arena.start('a-source', withQuery({ term: { k: 'x' } }));
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: { reason: expect.stringContaining('open points in time') as string } },
  });
});

test('starts grown from the whole query DSL: no 5xx, no node lost, nothing outside read, written or named, nobody busy', async () => {
  const starts = 600;
  const { statuses, asFarAsTheCluster } = await runStarts(arena, { seed: 20_261_122, starts });
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(starts);
  // Without these the run would show that everything is refused, and nothing else.
  expect(asFarAsTheCluster).toBeGreaterThan(starts / 20);
});
