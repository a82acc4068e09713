import { randomUUID } from 'node:crypto';
import { type Stack, startStack } from '@aosc/local-stack';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `t-${randomUUID()}`;

/** A cluster whose indices may give up their primaries. */
beforeAll(async () => {
  stack = await startStack({
    remoteStore: true,
    nodes: [{ roles: ['cluster_manager', 'data', 'ingest'] }, { roles: ['search'] }],
  });
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
});
afterAll(async () => {
  if (stack !== undefined) await aosc.close();
  await stack?.stop();
});

const start = (source: string, target: string) =>
  aosc.api('POST', `/_plugins/_aosc/${source}/_start`, { target_index: target, alias: `${source}-alias` });

async function createIndices(name: string): Promise<readonly [source: string, target: string]> {
  const [source, target] = [`${prefix}-${name}`, `${prefix}-${name}-2`];
  const settings = { number_of_shards: 1, number_of_replicas: 0, number_of_search_replicas: 1 };
  await aosc.cluster('PUT', `/${source}`, { settings, aliases: { [`${source}-alias`]: {} } });
  await aosc.cluster('PUT', `/${source}/_doc/1`, { a: 1 });
  await aosc.cluster('PUT', `/${target}`, { settings });
  await aosc.cluster('GET', `/_cluster/health/${source},${target}?wait_for_status=green&timeout=60s`);
  return [source, target];
}

test('an index without primaries, on either side, is refused with the way to give them back', async () => {
  const [source, target] = await createIndices('scaled');
  for (const [role, index] of [
    ['source', source],
    ['target', target],
  ] as const) {
    await aosc.cluster('POST', `/${index}/_scale`, { search_only: true });
    expect(await start(source, target)).toEqual(
      errorLike(400, 'illegal_state_exception', `${role} index [${index}] has no primaries`),
    );
    await aosc.cluster('POST', `/${index}/_scale`, { search_only: false });
    await aosc.cluster('GET', `/_cluster/health/${index}?wait_for_status=green&timeout=60s`);
  }
});
