import { ClusterError, type ClusterPorts } from '@aosc/engine';
import { examplePrimary, exampleRouting } from '@aosc/testkit';
import { createDependencies } from '../__tests__/create-dependencies';
import { createMigration } from '../__tests__/create-migration';
import { callerOf } from './caller';
import { checkOpenSnapshots, findSnapshotShortage, type RunningMigration } from './check-open-snapshots';

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

describe('of a limited credential', () => {
  const limited = callerOf({ name: 'team', kind: 'api_key', roles: ['operate'], indexPatterns: ['a-*'] });
  const two = exampleRouting([0, 1].map((shard) => examplePrimary(shard, { nodeId: 'x' })));
  const call = { signal: new AbortController().signal };

  /** @param sources that run, of two shards on the node `x`, as the source that is asked for */
  function check(limit: number, sources: readonly string[], open: number | 'forbidden', caller = limited) {
    const listed = sources.map((sourceIndex) => ({
      record: createMigration({ sourceIndex }),
      seqNo: 0,
      primaryTerm: 1,
    }));
    const deps = createDependencies({
      listActive: () => Promise.resolve(listed),
      readShards: () => Promise.resolve([]),
    });
    const state = { readRouting: () => Promise.resolve(two) };
    return checkOpenSnapshots(
      {
        ...deps,
        // The only part of it that is asked for.
        cluster: { index: () => ({ state }) } as unknown as ClusterPorts,
        readSnapshotLimit: () => Promise.resolve(limit),
        readSnapshotRoom: () =>
          open === 'forbidden'
            ? Promise.reject(new ClusterError('forbidden', 'no'))
            : Promise.resolve(room(limit, { x: open })),
      },
      { sourceRouting: two, call },
      caller,
    );
  }

  test('half of the room of a node is for its indices, and the other half for others', async () => {
    await check(16, ['a-1'], 0);
    await check(16, ['b-1'], 0);
    await expect(check(16, ['a-1', 'a-2'], 0)).rejects.toMatchObject({ code: 'rate_limited' });
    await check(16, ['a-1', 'a-2'], 0, callerOf(undefined));
  });

  test('it is the same where the service may not see how many are open', async () => {
    await check(16, ['a-1'], 'forbidden');
    await expect(check(16, ['a-1', 'a-2'], 'forbidden')).rejects.toMatchObject({ code: 'rate_limited' });
    await check(16, ['a-1', 'a-2'], 'forbidden', callerOf(undefined));
  });

  test('one that takes more than half by itself is not asked to wait', async () => {
    await expect(check(7, [], 0)).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  test('what nodes are called and what others hold is not told', async () => {
    const told = expect.stringMatching(
      /^Migration precondition check failed: [^\d[\]]*\[search\.max_open/,
    ) as string;
    await expect(check(16, [], 13)).rejects.toMatchObject({ message: told });
    await expect(check(16, [], 13, callerOf(undefined))).rejects.toThrow(/\[node-x\].*13 open of others/);
  });
});
