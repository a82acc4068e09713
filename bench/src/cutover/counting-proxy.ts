import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request of the service, as it passed. Times are `performance.now()`. */
export interface PassedCall {
  readonly method: string;
  /** with its query string */
  readonly path: string;
  readonly opaqueId: string;
  readonly body: Buffer;
  readonly from: number;
  readonly to: number;
  readonly status: number;
}

export interface CountingProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Stands between the service and a node: tells each request when it has been answered, and can make the way longer.
 * @param target base URL of the node
 * @param roundTripMs what the way to the node and back takes on top
 */
export async function startCountingProxy(
  target: string,
  roundTripMs: number,
  onCall: (call: PassedCall) => void,
): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const from = performance.now();
    const body = await readAll(incoming);
    if (roundTripMs > 0) await sleep(roundTripMs / 2);
    const { method = 'GET', url: path = '/' } = incoming;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { ...incoming.headers, host: `${hostname}:${port}` };
      const upstream = request({ host: hostname, port, method, path, headers, agent }, resolve);
      upstream.on('error', reject);
      upstream.end(body);
    });
    const answered = await readAll(answer);
    if (roundTripMs > 0) await sleep(roundTripMs / 2);
    const status = answer.statusCode ?? 502;
    outgoing.writeHead(status, answer.headers);
    outgoing.end(answered);
    const opaqueId = String(incoming.headers['x-opaque-id'] ?? '');
    onCall({ method, path, opaqueId, body, from, to: performance.now(), status });
  }

  const server = createServer((incoming, outgoing) => {
    // A connection that breaks on either side breaks on the other: that is what the service would see without the proxy.
    pass(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, timeout: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
