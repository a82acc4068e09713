import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** connections that were cut so far */
  cuts(): number;
  stop(): Promise<void>;
}

/** Passes requests on; of every `every` writes, one is done by the server while its answer never arrives. */
export async function startCuttingProxy(target: string, every: number): Promise<CuttingProxy> {
  let writes = 0;
  let cuts = 0;
  const server: Server = createServer((incoming, outgoing) => {
    const forwarded = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        const isWrite = incoming.method !== 'GET' && /_bulk|_doc|_update/.test(incoming.url ?? '');
        if (isWrite && ++writes % every === 0) {
          cuts += 1;
          answer.resume();
          answer.on('end', () => incoming.socket.destroy());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
    forwarded.on('error', () => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
