import type { OpenSearchClient } from '../client/request';
import { clusterUuid } from './cluster-uuid';

const call = { signal: new AbortController().signal };

function answering(body: object): OpenSearchClient {
  return {
    send: () => Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify(body)) }),
    nodes: () => [],
    close: () => Promise.resolve(),
  };
}

test('OpenSearch is known by its distribution, whatever its number says', async () => {
  const client = answering({
    cluster_uuid: 'u',
    version: { distribution: 'opensearch', number: '7.10.2' },
  });
  await expect(clusterUuid(client, call)).resolves.toBe('u');
});

test.each([
  [{ number: '8.15.0', build_flavor: 'default' }, 'version [8.15.0] and no distribution'],
  [{ number: '1.0.0', distribution: 'other' }, 'version [1.0.0] and the distribution [other]'],
])('%j is refused for good, with the reason', async (version, said) => {
  const client = answering({ cluster_uuid: 'u', version });
  await expect(clusterUuid(client, call)).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining(`not OpenSearch: it answers GET / with ${said}`) as unknown,
  });
});

test('a node without a cluster is asked again', async () => {
  const client = answering({
    cluster_uuid: '_na_',
    version: { distribution: 'opensearch', number: '3.7.0' },
  });
  await expect(clusterUuid(client, call)).rejects.toMatchObject({ kind: 'transient' });
});
