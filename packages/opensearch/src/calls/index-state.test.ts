import type { OpenSearchClient } from '../client/request';
import { readWriteBlock } from './index-state';

const call = { signal: new AbortController().signal };

function showing(blocks: object): OpenSearchClient {
  const state = {
    cluster_uuid: 'c',
    version: 1,
    metadata: { cluster_coordination: { term: 1 } },
    blocks,
  };
  return {
    send: () => Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify(state)) }),
    close: () => Promise.resolve(),
    nodes: () => [],
  };
}

test.each([
  ['none', {}],
  ['none', { indices: { books2: { '8': {} } } }],
  ['set', { indices: { books: { '8': {} } } }],
  ['draining', { indices: { books: { '8': { uuid: 'u' } } } }],
])('%s: %j', async (state, blocks) => {
  await expect(readWriteBlock(showing(blocks), 'books', call)).resolves.toBe(state);
});

test('a cluster that has not recovered its state shows no block of any index, which proves nothing', async () => {
  const unrecovered = showing({ global: { '1': { retryable: true } } });
  await expect(readWriteBlock(unrecovered, 'books', call)).rejects.toMatchObject({ kind: 'transient' });
});
