import { createServer } from 'node:http';
import { createHttpClient, startHttpFaultProxy } from '@aosc/testkit';
import { countAnswered, describeCall, type HeldKind, heldKinds, holdRequests } from './late-answers';

test.each([
  ['POST', '/books/_search/point_in_time?keep_alive=1m', 'POST _search/point_in_time'],
  ['POST', '/_search?allow_partial_search_results=false', 'POST _search'],
  ['PUT', '/.aosc-migrations/_doc/some_id?if_seq_no=3', 'PUT _doc'],
  ['POST', '/aosc-fence-a-0-1/_bulk', 'POST _bulk'],
  ['GET', '/_cluster/state/nodes', 'GET _cluster/state'],
  ['GET', '/books/_stats?level=shards', 'GET _stats'],
  ['GET', '/', 'GET /'],
])('%s %s is %s', (method, path, expected) => {
  expect(describeCall({ method, path })).toBe(expected);
});

test.each<readonly [HeldKind, string, boolean]>([
  ['everything', '/', true],
  ['snapshots', '/books/_search/point_in_time', true],
  ['snapshots', '/_search', true],
  ['snapshots', '/books/_mget', false],
  ['documents', '/books/_mget', true],
  ['documents', '/books/_search', false],
  ['views', '/_cluster/state', true],
  ['views', '/_alias/books', true],
  ['views', '/books/_bulk', false],
])('%s holds %s: %s', (kind, path, isHeld) => {
  expect(heldKinds[kind].test(path)).toBe(isHeld);
});

test('requests are held until they are released, and answers count from when the node goes on', async () => {
  const reached: string[] = [];
  const node = createServer((request, answer) => {
    reached.push(request.url ?? '');
    answer.statusCode = request.url === '/_cluster/refused' ? 503 : 200;
    answer.end();
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const address = node.address();
  if (address === null || typeof address === 'string') throw new Error('a server has no port');
  const proxy = await startHttpFaultProxy(`http://127.0.0.1:${address.port}`);
  const http = createHttpClient([proxy.url]);
  const ask = async (path: string): Promise<number> => (await http.send({ method: 'GET', path })).status;
  try {
    const late = holdRequests(proxy, 'views');
    const held = [ask('/_cluster/state'), ask('/_cluster/refused')];
    expect(await ask('/books/_bulk')).toBe(429);
    expect(reached).toEqual([]);
    late.count();
    late.release();
    expect(await Promise.all(held)).toEqual([200, 503]);
    expect(await ask('/_alias/books')).toBe(200);
    expect(await ask('/books/_bulk')).toBe(429);
    const answers = late.end();
    expect(answers).toEqual({
      held: 2,
      answered: { 'GET _cluster/state': 1, 'GET _alias': 1 },
      refused: 1,
    });
    expect(countAnswered(answers)).toBe(2);
    expect(await ask('/books/_bulk')).toBe(200);
  } finally {
    http.close();
    await proxy.stop();
    node.close();
  }
});
