import type { OpenSearchClient } from '../client/request';
import { describeIndex } from './describe-index';

const call = { signal: new AbortController().signal };

/** A node whose state is behind its own answer for so many looks. */
function nodeBehindFor(looks: number) {
  const asked = { index: 0, state: 0 };
  const answer = (path: string): object => {
    if (path.startsWith('/_cluster/state')) {
      asked.state += 1;
      const aliases = asked.state > looks ? ['fence'] : [];
      const settings = {
        'index.uuid': 'u',
        'index.number_of_shards': '2',
      };
      return {
        cluster_uuid: 'c',
        version: asked.state,
        metadata: {
          cluster_coordination: { term: 1 },
          indices: {
            books: { state: 'open', routing_num_shards: 1024, mapping_version: 1, aliases, settings },
          },
        },
      };
    }
    asked.index += 1;
    return { books: { aliases: { fence: {} }, settings: { 'index.uuid': 'u' } } };
  };
  const client: OpenSearchClient = {
    send: ({ path }) => Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify(answer(path))) }),
    nodes: () => [],
    close: () => Promise.resolve(),
  };
  return { client, asked };
}

test('two answers that do not fit are asked for again', async () => {
  const { client, asked } = nodeBehindFor(3);
  const found = await describeIndex(client, 'books', call);
  expect(found).toMatchObject({ uuid: 'u', shardCount: 2 });
  expect([...(found?.aliases.keys() ?? [])]).toEqual(['fence']);
  expect(asked).toEqual({ index: 4, state: 4 });
});

test('answers that never fit are an error', async () => {
  const { client } = nodeBehindFor(Infinity);
  await expect(describeIndex(client, 'books', call)).rejects.toMatchObject({
    kind: 'transient',
    message: 'aliases of books were changed while it was being described',
  });
});
