import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startMigration, waitForPhase } from './migration-client';
import type { StatusDocument } from './status-document';

const status = (phase: string, more: Partial<StatusDocument> = {}): StatusDocument => ({
  migration_id: 'a__b__1',
  source_index: 'a',
  target_index: 'b',
  alias: 'al',
  phase,
  shard_routing_mode: 'SAME_SHARD',
  start_time_millis: 1,
  last_updated_millis: 1,
  options: {},
  shards: {},
  ...more,
});

/** An API whose answers come from a list, in order; the last one is repeated. */
async function serve(answers: { status: number; body: object }[]) {
  const requests: { url: string; body: string }[] = [];
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      requests.push({ url: `${incoming.method ?? ''} ${incoming.url ?? ''}`, body });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      outgoing.writeHead(answer?.status ?? 500, { connection: 'close' });
      outgoing.end(JSON.stringify(answer?.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

const ok = (phase: string, more: Partial<StatusDocument> = {}) => ({
  status: 200,
  body: status(phase, more),
});
const unavailable = { status: 503, body: { error: 'redis is away' } };
const quick = { intervalMs: 1 };

test('a wait ends when the phase is reached, over answers of an API that is away for a while', async () => {
  const api = await serve([ok('ACTIVE'), unavailable, ok('CUTTING_OVER'), ok('COMPLETED')]);
  const seen: string[] = [];
  const onStatus = ({ phase }: StatusDocument) => seen.push(phase);
  const reached = await waitForPhase(api.url, 'a', ['COMPLETED'], { ...quick, onStatus });
  expect(reached.phase).toBe('COMPLETED');
  expect(seen).toEqual(['ACTIVE', 'CUTTING_OVER', 'COMPLETED']);
  await api.close();
});

test('a migration that ends otherwise ends the wait, with the reasons', async () => {
  const shards = { '1': { phase: 'FAILED', error: 'no mapping for [x]' } };
  const api = await serve([ok('ACTIVE'), ok('FAILED', { error_message: 'shard 1 failed', shards })]);
  await expect(waitForPhase(api.url, 'a', ['COMPLETED'], quick)).rejects.toThrow(
    /FAILED: shard 1 failed .*no mapping for \[x\]/,
  );
  await api.close();
});

test('a wait is bounded and says what it saw last', async () => {
  const api = await serve([ok('CONVERGING')]);
  await expect(waitForPhase(api.url, 'a', ['COMPLETED'], { ...quick, timeoutMs: 1 })).rejects.toThrow(
    /last seen: a__b__1 is CONVERGING/,
  );
  await api.close();
});

test('an unknown migration is an error at once', async () => {
  const api = await serve([{ status: 404, body: { error: 'No migration found' } }]);
  await expect(waitForPhase(api.url, 'a', ['COMPLETED'], quick)).rejects.toThrow(/404 .*No migration found/);
  await api.close();
});

test('a start carries target, alias and options, and gives the id back', async () => {
  const api = await serve([{ status: 200, body: { migration_id: 'a__b__1', accepted: true } }]);
  const options = { doc_count_tolerance: 0 };
  expect(await startMigration(api.url, { source: 'a', target: 'b', alias: 'al', options })).toBe('a__b__1');
  expect(api.requests[0]?.url).toBe('POST /_plugins/_aosc/a/_start');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ target_index: 'b', alias: 'al', options });
  await api.close();
});
