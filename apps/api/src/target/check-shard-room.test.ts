import type { MigrationRecord } from '@aosc/contract';
import { createDependencies } from '../__tests__/create-dependencies';
import { createMigration } from '../__tests__/create-migration';
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
  const deps = {
    ...createDependencies({ listActive: () => Promise.resolve([]) }),
    readShardRoom: () => Promise.resolve(room),
  };
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

test.each<[string, Partial<MigrationRecord>, boolean]>([
  ['is about to make', {}, true],
  ['has made', { targetUuid: 'made' }, false],
  ['will never make', { phase: 'CANCELLING' }, false],
])('a target that a running migration %s of files', async (_what, parts, counts) => {
  const settings = { 'index.number_of_replicas': '0' };
  const files = { settings, originals: { 'index.number_of_replicas': '2' } };
  const record = createMigration({ phase: 'ACTIVE', targetShardCount: 10, targetUuid: '', files, ...parts });
  const listActive = () => Promise.resolve([{ record, seqNo: 1, primaryTerm: 1 }]);
  const room = { limit: 1_000, used: 470, dataNodes: 3 };
  const deps = { ...createDependencies({ listActive }), readShardRoom: () => Promise.resolve(room) };
  const { signal } = new AbortController();
  const check = (shards: number) =>
    checkShardRoom(deps, plan(shards, { 'index.number_of_replicas': '0' }), limited, { signal });
  if (counts) await expect(check(1)).rejects.toThrow('too few shards left for others');
  else await check(30);
});
