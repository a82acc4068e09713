import { isSnapshotAtHome } from './snapshot-home';

const snapshot = { nodeId: 'n', allocationId: 'a' };
const home = { state: 'STARTED', nodeId: 'n', allocationId: 'a' };

test.each([
  ['as it was', {}, true],
  ['about to move: it is read from until it has', { state: 'RELOCATING' }, true],
  ['moved', { nodeId: 'm', allocationId: 'b' }, false],
  ['another copy took over', { nodeId: 'm', allocationId: 'r' }, false],
  ['moved away and back', { allocationId: 'c' }, false],
  ['failed', { state: 'UNASSIGNED', nodeId: undefined }, false],
  ['failed, and started again from its own store', { state: 'INITIALIZING' }, false],
])('the primary is %s', (_, change, expected) => {
  expect(isSnapshotAtHome(snapshot, { ...home, ...change })).toBe(expected);
});
