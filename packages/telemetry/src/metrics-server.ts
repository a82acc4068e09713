import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NodeConnections } from '@aosc/signals';
import type { Metrics } from './metrics';
import { sumUpNodes } from './node-gauges';
import type { Readiness } from './readiness';
import { createRenderer } from './render-metrics';

/**
 * Serves `/healthz` (the process runs), `/readyz` (it can work: 200, else 503 with the reasons) and `/metrics`.
 * @param options.port 0 takes any free port; a process whose port is configured as 0 does not call this
 * @throws when the address can't be listened on
 */
export async function startMetricsServer(options: {
  readonly host: string;
  readonly port: number;
  /** whether it answers to this `Host`: a page can make its own name point here (DNS rebinding) */
  readonly allows: (host: string | undefined) => boolean;
  readonly metrics: Metrics;
  readonly ready: () => Promise<Readiness>;
  /** how the process stands with OpenSearch's */
  readonly nodes: () => readonly NodeConnections[];
}) {
  const { allows, metrics, ready, nodes } = options;
  const render = createRenderer(metrics, ready, nodes);
  const answer = async ({ method, url, headers }: IncomingMessage): Promise<Answer> => {
    const site = headers['sec-fetch-site'];
    if (site === 'cross-site' || site === 'same-site' || !allows(headers.host))
      return json(403, { error: 'pages of other sites, and other hosts, are refused' });
    const path = url?.split('?')[0];
    if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'only GET is served here' });
    if (path === '/healthz') return json(200, { ok: true, opensearch: sumUpNodes(nodes()) });
    if (path === '/metrics') return { status: 200, contentType: metrics.contentType, body: await render() };
    if (path !== '/readyz') return json(404, { error: 'served here: /healthz, /readyz, /metrics' });
    const readiness = await ready();
    return json(readiness.ok ? 200 : 503, readiness);
  };
  const server = createServer((request, response) => {
    answer(request)
      .catch((error: unknown): Answer => {
        const reason = error instanceof Error ? error.message : 'unknown';
        return json(503, { ok: false, checks: [{ name: 'check', ok: false, reason }] });
      })
      .then((result) => send(response, result))
      .catch(() => response.destroy());
  });
  await listen(server, options.host, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    /** Stops listening and drops connections that are still open. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const json = (status: number, body: unknown): Answer => ({
  status,
  contentType: 'application/json',
  body: `${JSON.stringify(body)}\n`,
});

function send(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
