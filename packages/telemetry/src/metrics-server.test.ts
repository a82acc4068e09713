import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createMetrics } from './metrics';
import { startMetricsServer } from './metrics-server';
import type { Readiness } from './readiness';

let server: Awaited<ReturnType<typeof startMetricsServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(ready: () => Promise<Readiness>) {
  const metrics = createMetrics('worker');
  const started = await startMetricsServer({ host: '127.0.0.1', port: 0, allows, metrics, ready, nodes });
  server = started;
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${started.port}${path}`, { method });
  return { metrics, get, port: started.port };
}

const allows = (host: string | undefined) => host?.startsWith('127.0.0.1:') === true;
const nodes = () => [
  { node: 'a:9200', isAway: true, open: 2, waiting: 4, renewals: 1 },
  { node: 'b:9200', isAway: false, open: 3, waiting: 0, renewals: 0 },
];
const allWell = () => Promise.resolve({ ok: true, checks: [{ name: 'redis', ok: true }] });

test('the figures are served as Prometheus text, process figures included', async () => {
  const { metrics, get } = await start(allWell);
  metrics.countDocumentsCopied(500, 1000);
  metrics.countDocumentsCopied(20, 40);
  metrics.countOperationsReplayed('delete', 3);
  metrics.countBulk('refused');
  metrics.setMigrations({ ACTIVE: 2, CUTTING_OVER: 1 });
  metrics.setMigrations({ ACTIVE: 3 });
  metrics.observeWriteBlock(0.3);
  metrics.setDueJobs({ backfill: 5, replay: 2 });
  const response = await get('/metrics');
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(text).toContain('aosc_documents_copied_total{app="worker"} 520');
  expect(text).toContain('aosc_operations_replayed_total{kind="delete",app="worker"} 3');
  expect(text).toContain('aosc_operations_replayed_total{kind="upsert",app="worker"} 0');
  expect(text).toContain('aosc_bulk_requests_total{outcome="refused",app="worker"} 1');
  expect(text).toContain('aosc_migrations{phase="ACTIVE",app="worker"} 3');
  expect(text).not.toContain('phase="CUTTING_OVER"');
  expect(text).toContain('aosc_write_block_seconds_bucket{le="0.5",app="worker"} 1');
  expect(text).toContain('aosc_shard_jobs_due{work="backfill",app="worker"} 5');
  expect(text).toContain('nodejs_eventloop_lag_seconds');
  // dear where there are many connections
  expect(text.match(/^# HELP nodejs_active_\w+/gm)).toEqual(['# HELP nodejs_active_resources']);
  expect(text).toContain('process_cpu_seconds_total');
});

test('a number of jobs that is no longer known is not shown', async () => {
  const { metrics, get } = await start(allWell);
  metrics.setDueJobs({ replay: 2 });
  metrics.setDueJobs(undefined);
  expect(await (await get('/metrics')).text()).not.toContain('aosc_shard_jobs_due{');
});

test('the status says whether it is ready, the body why not', async () => {
  let readiness: Readiness = { ok: true, checks: [] };
  const { get } = await start(() => Promise.resolve(readiness));
  expect((await get('/readyz')).status).toBe(200);
  readiness = {
    ok: false,
    checks: [{ name: 'redis', ok: false, reason: 'maxmemory-policy is allkeys-lru' }],
  };
  const response = await get('/readyz');
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual(readiness);
});

test('a check that throws means not ready', async () => {
  const { get } = await start(() => Promise.reject(new Error('lost')));
  const response = await get('/readyz');
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('lost');
});

test('healthz answers whatever the checks say; other paths and methods are refused', async () => {
  const { get } = await start(() => Promise.reject(new Error('lost')));
  const health = await get('/healthz');
  expect(health.status).toBe(200);
  const opensearch = { nodes: 2, away: 1, connections: 5, waiting: 4, renewals: 1 };
  expect(await health.json()).toEqual({ ok: true, opensearch });
  expect((await get('/other')).status).toBe(404);
  expect((await get('/healthz', 'POST')).status).toBe(405);
});

test.each(['/healthz', '/readyz', '/metrics'])('pages of other sites get nothing of %s', async (path) => {
  const { port } = await start(allWell);
  const statusFor = async (headers: Record<string, string>) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  expect(await statusFor({ 'sec-fetch-site': 'none' })).toBe(200);
  expect(await statusFor({ host: 'evil.example' })).toBe(403);
  expect(await statusFor({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusFor({ 'sec-fetch-site': 'same-site' })).toBe(403);
});

test('an address that is in use is an error, not a process without figures', async () => {
  await start(allWell);
  const port = server?.port ?? 0;
  const second = startMetricsServer({
    host: '127.0.0.1',
    port,
    allows,
    metrics: createMetrics('x'),
    ready: allWell,
    nodes,
  });
  await expect(second).rejects.toThrow('EADDRINUSE');
});
