import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createOpenApiDocument } from '@aosc/contract';
import { bigSource, indicesNow, migrationCount, statusAt, summaryAt, timeline } from './recorded';

const built = join(__dirname, '../../apps/dashboard/dist/page');
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

export interface RecordedApi {
  readonly url: string;
  /** How many clients follow the events. */
  followers(): number;
  /** The next step: a hundred migrations have changed, and the 500 shards of one of them. */
  update(): void;
  close(): Promise<void>;
}

/** Serves the built page, compressed as the API does, and answers that were recorded: no server is behind it. */
export async function startRecordedApi(): Promise<RecordedApi> {
  let step = 0;
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (path.endsWith('/_events')) {
      response.setHeader('content-type', 'text/event-stream');
      response.write(lookAt(step, true));
      streams.add(response);
      response.once('close', () => streams.delete(response));
    } else if (path === '/openapi.json') sendJson(response, createOpenApiDocument());
    else if (path.endsWith('/_session')) sendJson(response, { authentication: 'none' });
    else if (path.endsWith(`/${bigSource}/_status`)) sendJson(response, statusAt(step));
    else if (path.endsWith('/_indices')) sendJson(response, indicesNow());
    else if (path.endsWith('/_timeline')) sendJson(response, timeline());
    else sendFile(response, path.startsWith('/assets/') ? path : '/index.html');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    followers: () => streams.size,
    update() {
      step += 1;
      const look = lookAt(step, false);
      for (const stream of streams) stream.write(look);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @param isFirst everything; otherwise the hundred that run */
function lookAt(step: number, isFirst: boolean): string {
  const all = Array.from({ length: migrationCount }, (_, n) => summaryAt(n, step));
  const told = isFirst ? all : all.filter(({ is_terminal }) => !is_terminal);
  const running = all.filter(({ is_terminal }) => !is_terminal).length;
  const events = [
    ...(isFirst ? [['reset', {}] as const] : []),
    ...told.map((data) => ['migration', data] as const),
    [
      'totals',
      { by_phase: { ACTIVE: running, COMPLETED: migrationCount - running }, truncated: false },
    ] as const,
    ['ready', { at_millis: Date.now() }] as const,
  ];
  return events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
}

function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

function sendFile(response: ServerResponse, path: string): void {
  try {
    const bytes = gzipSync(readFileSync(join(built, path)));
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
    response.setHeader('content-encoding', 'gzip');
    response.end(bytes);
  } catch {
    response.statusCode = 404;
    response.end();
  }
}
