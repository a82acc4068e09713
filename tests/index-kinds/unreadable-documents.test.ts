import { callRaw, loadDocuments } from '@aosc/testkit';
import { type Cluster, startCluster } from '../races/support/cluster';
import { createPair, someDocuments } from '../races/support/pairs';
import { count, expectCompleted, expectFailed } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const cbor = 'application/cbor';
/** Unmapped fields: OpenSearch stores values in them that no type takes. */
const mappings = { enabled: false } as const;

async function put(index: string, id: string, contentType: string, body: string | Buffer): Promise<void> {
  await callRaw(cluster.http, {
    method: 'PUT',
    path: `/${index}/_doc/${id}?refresh=true`,
    contentType,
    body,
  });
}

test.each([
  // {"a": <two bytes that are no UTF-8>}
  ['a text of CBOR that is no text', cbor, Buffer.from([0xbf, 0x61, 0x61, 0x62, 0xff, 0xfe, 0xff])],
  // {"a": <simple value 16>}
  ['a value of CBOR that JSON has not', cbor, Buffer.from([0xbf, 0x61, 0x61, 0xf0, 0xff])],
  ['JSON in UTF-16', 'application/json', Buffer.from('{"a":1}', 'utf16le')],
])('%s: FAILED with the id of the document, and what to do', async (_, contentType, body) => {
  const documents = someDocuments(90);
  const harness = await createPair(cluster, { shards: [1, 2], documents, mappings });
  await put(harness.source, 'unreadable', contentType, body);
  await loadDocuments(cluster.http, harness.alias, someDocuments(40, 'later'));
  const reason = await expectFailed(cluster, harness);
  expect(reason).toContain("document [unreadable] can't be copied");
  expect(reason).toContain('as JSON');
});

test('documents that were sent as YAML, CBOR and SMILE are copied with their values', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(5), mappings });
  await put(harness.source, 'yaml', 'application/yaml', '---\na: 31\nb: text\nc: [1.5, true]\n');
  // {"a": 31}
  await put(harness.source, 'cbor', cbor, Buffer.from([0xbf, 0x61, 0x61, 0x18, 0x1f, 0xff]));
  await put(
    harness.source,
    'smile',
    'application/smile',
    Buffer.from([0x3a, 0x29, 0x0a, 0x05, 0xfa, 0x80, 0x61, 0x24, 0xbe, 0xfb]),
  );
  await expectCompleted(harness);
  expect(await count(cluster, harness.target)).toBe(8);
});
