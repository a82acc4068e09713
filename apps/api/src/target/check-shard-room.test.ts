import { createDependencies } from '../__tests__/create-dependencies';
import { checkShardRoom, countShards } from './check-shard-room';

const plan = (shardCount: number, settings: Readonly<Record<string, unknown>> = {}) => ({
  shardCount,
  definition: { settings, mappings: {} },
});
const limited = { id: 'api_key a', isLimited: true };

test.each<[Readonly<Record<string, unknown>>, number]>([
  [{}, 8],
  [{ 'index.number_of_replicas': '0' }, 4],
  [{ 'index.number_of_replicas': '2' }, 12],
  [{ 'index.number_of_replicas': '0', 'index.auto_expand_replicas': '0-all' }, 20],
  [{ 'index.number_of_replicas': '0', 'index.auto_expand_replicas': '0-2' }, 12],
  [{ 'index.number_of_replicas': '1', 'index.auto_expand_replicas': 'false' }, 8],
  [{ 'index.number_of_replicas': '1', 'index.number_of_search_replicas': '1' }, 12],
])('four shards with %j are %i with their copies', (settings, count) => {
  expect(countShards(plan(4, settings), { dataNodes: 5 })).toBe(count);
});

test.each<[number, number, string | undefined]>([
  [50, 400, undefined],
  [51, 0, 'may add 100 at once'],
  [50, 401, 'too few shards left for others'],
])('%i shards with a copy each, in a cluster of 1,000 that holds %i: %s', async (shards, used, reason) => {
  const room = { limit: 1_000, used, dataNodes: 1 };
  const deps = { ...createDependencies({}), readShardRoom: () => Promise.resolve(room) };
  const { signal } = new AbortController();
  const checked = checkShardRoom(deps, plan(shards), limited, { signal }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const found = await checked;
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(reason);
  // The refusal does not say how many shards others have.
  expect(found ?? '').not.toContain('401');
  await checkShardRoom(deps, plan(shards), { ...limited, isLimited: false }, { signal });
});
