import { type Arena, startArena } from './hostile/arena';
import { testNamedStarts } from './hostile/named-starts';

jest.setTimeout(600_000);

/**
 * A service that has the documented role, for the indices of two teams. That role does not tell it how much room for
 * snapshots a node has: the check at which grown starts end elsewhere lets them through here, so they are not sent.
 */
let arena: Arena;
beforeAll(async () => {
  arena = await startArena({ secured: true });
});
afterAll(() => arena.stop());

describe('a key with the role operate and the pattern a-* is refused', () => {
  testNamedStarts(() => arena);
});
