import { createServer, type Server } from 'node:http';
import { createHttpClient } from './http-client';

async function startServer(name: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((_, answer) => answer.end(name));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server has no port');
  return { url: `http://127.0.0.1:${address.port}`, server };
}

test('requests go to each URL in turn, but for those that are away, and to these when there is no other', async () => {
  const servers = await Promise.all(['a', 'b', 'c'].map(startServer));
  const [first, second] = servers;
  const away = new Set<string>();
  const http = createHttpClient(
    servers.map(({ url }) => url),
    (url) => away.has(url),
  );
  const ask = async (times: number): Promise<readonly string[]> => {
    const names: string[] = [];
    while (names.length < times) {
      names.push((await http.send({ method: 'GET', path: '/' })).body.toString());
    }
    return names;
  };
  try {
    expect(await ask(6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    away.add(second?.url ?? '');
    expect(await ask(4)).toEqual(['a', 'c', 'a', 'c']);
    away.add(first?.url ?? '');
    expect(await ask(2)).toEqual(['c', 'c']);
    for (const { url } of servers) away.add(url);
    expect((await ask(3)).toSorted()).toEqual(['a', 'b', 'c']);
    away.clear();
    expect((await ask(3)).toSorted()).toEqual(['a', 'b', 'c']);
  } finally {
    http.close();
    for (const { server } of servers) server.close();
  }
});
