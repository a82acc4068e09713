import { examplePrimary } from '@aosc/testkit';
import { findSnapshotShortage, type RunningMigration } from './check-open-snapshots';

const on = (...nodes: readonly string[]) => ({
  primaries: nodes.map((nodeId, shard) => examplePrimary(shard, { nodeId })),
});
const room = (limit: number, open: Readonly<Record<string, number>>) => ({
  limit,
  nodes: new Map(Object.entries(open).map(([id, count]) => [id, { name: `node-${id}`, open: count }])),
});
const running: RunningMigration = { routing: on('a', 'a', 'b'), openOn: ['a', 'b', 'b'] };

test.each<
  [string, number, Readonly<Record<string, number>>, readonly RunningMigration[], number | undefined]
>([
  ['two for each shard fit exactly', 4, { a: 0, b: 0 }, [], undefined],
  ['one too few', 3, { a: 0, b: 0 }, [], 4],
  ['others have some open', 5, { a: 2, b: 0 }, [], 6],
  ['only nodes that the source is on count', 4, { a: 0, b: 0, c: 300 }, [], undefined],
  ['what runs keeps its room, opened or not', 7, { a: 1, b: 2 }, [running], 8],
  ['what runs is not counted twice', 8, { a: 1, b: 2 }, [running], undefined],
])('%s', (_, limit, open, migrations, needed) => {
  const shortage = findSnapshotShortage(room(limit, open), on('a', 'a', 'b'), migrations);
  if (needed === undefined) expect(shortage).toBeUndefined();
  else expect(shortage).toMatch(new RegExp(`node \\[node-a\\].*to at least \\[${needed}\\]`));
});
