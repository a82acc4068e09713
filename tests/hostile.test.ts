import { callJson } from '@aosc/testkit';
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

test('the start that all others are variations of is refused only at its last check', async () => {
  const { status, body } = await arena.start('a-source', withQuery({ term: { k: 'x' } }));
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: { reason: expect.stringContaining('open points in time') as string } },
  });
});

test('targets that are asked for at the same moment leave half of the shards, and no foreign alias is revealed', async () => {
  const { http } = arena.environment;
  const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
    callJson(http, (answer) => answer, method, path, body);
  const countShards = async (): Promise<number> => {
    const health = await callJson(http, (answer) => answer, 'GET', '/_cluster/health');
    return (health as { active_shards: number }).active_shards;
  };
  const setLimit = (limit: number | null) =>
    send('PUT', '/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': limit } });
  await send('PUT', '/a-filler', { settings: { number_of_shards: 12, number_of_replicas: 0 } });
  await send('POST', '/_aliases', {
    actions: [{ add: { index: 'a-source', alias: 'b-told', filter: { term: { k: 'told' } } } }],
  });
  const half = (await countShards()) + 9;
  await setLimit(2 * half);
  const asked = ['a-1', 'a-2', 'a-3', 'a-4'].map((target_index) =>
    arena.createTarget('a-source', { target_index, number_of_shards: 4 }),
  );
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 409, 409]);
  expect(await countShards()).toBeLessThanOrEqual(half);
  expect(JSON.stringify(answers)).not.toContain('told');

  await setLimit(null);
  await send('DELETE', '/a-filler,a-1,a-2,a-3,a-4?ignore_unavailable=true');
  await send('POST', '/_aliases', { actions: [{ remove: { index: 'a-source', alias: 'b-told' } }] });
});

test('starts grown from the whole query DSL: no 5xx, no node lost, nothing outside read, written or named, no thread left busy', async () => {
  const starts = 600;
  const { statuses, asFarAsTheCluster } = await runStarts(arena, { seed: 20_261_122, starts });
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(starts);
  // Without these the run would show that everything is refused, and nothing else.
  expect(asFarAsTheCluster).toBeGreaterThan(starts / 20);
});
