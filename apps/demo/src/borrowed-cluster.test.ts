import { createServer, type Server } from 'node:http';
import { createHttpClient, type HttpClient } from '@aosc/testkit';
import { examineBorrowedCluster } from './borrowed-cluster';
import { leaveNoTrace, MadeIndices } from './leave-no-trace';
import { RefusedError } from './refused-error';

/** As much of an OpenSearch as these two ask for; what is deleted is gone. */
let indices: Map<string, string>;
let installation: string | undefined;
let status: number | undefined;
let deleted: string[];
let server: Server;
let url: string;
let http: HttpClient;

function answer(method: string, path: string): [number, unknown] {
  if (status !== undefined) return [status, { error: 'on purpose' }];
  const [name = '', part, document] = (path.split('?')[0] ?? '').slice(1).split('/');
  if (name === '') return [200, { version: { number: '3.7.0' } }];
  const uuid = indices.get(name);
  if (uuid === undefined) return [404, { error: 'index_not_found_exception' }];
  if (method === 'DELETE') {
    indices.delete(name);
    deleted.push(name);
    return [200, { acknowledged: true }];
  }
  if (part === '_settings') return [200, { [name]: { settings: { 'index.uuid': uuid } } }];
  if (document === 'installation') {
    return installation === undefined ? [404, {}] : [200, { _source: { installation_id: installation } }];
  }
  return [200, { [name]: {} }];
}

beforeEach(async () => {
  indices = new Map();
  installation = undefined;
  status = undefined;
  deleted = [];
  server = createServer((request, response) => {
    const [code, body] = answer(request.method ?? '', request.url ?? '');
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}`;
  http = createHttpClient([url]);
});
afterEach(async () => {
  http.close();
  await new Promise((resolve) => server.close(resolve));
});

const examine = () => examineBorrowedCluster(http, 'http://shown', new AbortController().signal);

describe('before the demo', () => {
  test('a cluster without its names will do', async () => {
    indices.set('theirs', 'a');
    expect(await examine()).toBe('3.7.0');
  });

  test.each(['cities-v1', 'cities-v2', 'cities', '.aosc-migrations'])(
    'one with %s is refused',
    async (name) => {
      indices.set(name, 'a');
      await expect(examine()).rejects.toThrow(RefusedError);
      await expect(examine()).rejects.toThrow(/^The cluster at http:\/\/shown .*touched nothing/);
      expect(deleted).toEqual([]);
    },
  );

  test('a cluster that does not let it look does not count as free of its names', async () => {
    status = 403;
    await expect(examine()).rejects.toThrow('403');
  });
});

describe('after the demo', () => {
  async function make(...names: readonly string[]): Promise<MadeIndices> {
    const made = new MadeIndices();
    for (const name of names) {
      indices.set(name, `uuid of ${name}`);
      await made.note(http, name);
    }
    return made;
  }

  test('what it has made goes, and nothing else', async () => {
    const made = await make('cities-v1', 'cities-v2');
    indices.set('theirs', 'a').set('.aosc-migrations', 'b');
    installation = 'ours';
    expect(await leaveNoTrace([url], made, 'ours')).toEqual([]);
    expect([...indices.keys()]).toEqual(['theirs']);
  });

  test('an index that a user has put in the place of one stays', async () => {
    const made = await make('cities-v1');
    indices.set('cities-v1', 'another');
    expect(await leaveNoTrace([url], made, undefined)).toEqual([
      'cities-v1 stays in the cluster: it is not the index that the demo has made',
    ]);
    expect(deleted).toEqual([]);
  });

  test.each([
    ['another installation', 'theirs', 'ours'],
    ['no installation', undefined, 'ours'],
    ['whom the demo does not know', 'theirs', undefined],
    ['no installation, and the demo has none', undefined, undefined],
  ])('records of %s stay', async (_, inRecord, own) => {
    indices.set('.aosc-migrations', 'b');
    installation = inRecord;
    expect(await leaveNoTrace([url], new MadeIndices(), own)).toEqual([
      expect.stringContaining(".aosc-migrations stays in the cluster: nothing proves that it is the demo's"),
    ]);
    expect(deleted).toEqual([]);
  });

  test('what another user has deleted meanwhile is no trouble', async () => {
    const made = await make('cities-v1');
    indices.clear();
    expect(await leaveNoTrace([url], made, 'ours')).toEqual([]);
  });

  test('a cluster that gives no answer any more is reported', async () => {
    const made = await make('cities-v1');
    status = 503;
    const left = await leaveNoTrace([url], made, 'ours');
    expect(left).toEqual([
      expect.stringContaining('cities-v1 may be left in the cluster'),
      expect.stringContaining('.aosc-migrations may be left in the cluster'),
    ]);
  });
});
