import { type Arena, startArena } from './hostile/arena';
import { testNamedStarts } from './hostile/named-starts';

jest.setTimeout(600_000);

/**
 * A service with the documented role, for the indices of two teams. That role does not show it how much room for
 * snapshots a node has. Grown starts end elsewhere at that check, would pass here, and so are not sent.
 */
let arena: Arena;
beforeAll(async () => {
  arena = await startArena({ secured: true });
});
afterAll(() => arena.stop());

describe('a key with the role operate and the pattern a-* is refused', () => {
  testNamedStarts(() => arena);
});
