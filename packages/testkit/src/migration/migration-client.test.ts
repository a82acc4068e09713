import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AoscError, type ErrorCode, errorRegistry, toErrorBody } from '@aosc/contract';
import { readStatus, startMigration, waitForPhase } from './migration-client';
import type { StatusDocument } from './status-document';

const options = {
  convergence_threshold_per_shard: 500,
  max_convergence_rounds_per_shard: 1000,
  doc_count_tolerance: 0,
  accept_data_loss_if_custom_routing_is_used: false,
  target_ready_timeout_seconds: 60,
  remove_source_write_block_on_success: false,
  transient_target_settings: {},
};

const status = (phase: string, more: Partial<StatusDocument> = {}) => ({
  migration_id: 'a__b__1',
  source_index: 'a',
  target_index: 'b',
  alias: 'al',
  phase,
  shard_routing_mode: 'SAME_SHARD',
  start_time_millis: 1,
  last_updated_millis: 1,
  options,
  delete_routing_strategy: 'TRANSLOG_ROUTING',
  shards: {},
  transition_history: [],
  meta: {},
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
      outgoing.writeHead(answer?.status ?? 500, {
        connection: 'close',
        'content-type': 'application/json',
        etag: 'W/"1"',
      });
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
const refused = (code: ErrorCode, reason: string) => ({
  status: errorRegistry[code].status,
  body: toErrorBody(new AoscError(code, reason)),
});
const unavailable = refused('unavailable', 'redis is away');
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
  const shard = { last_replayed_seq_no: -1, target_seq_no: 1, backfill_cutoff_seq_no: -1, meta: {} };
  const shards = { '1': { ...shard, phase: 'FAILED', error: 'no mapping for [x]', transition_history: [] } };
  const api = await serve([ok('ACTIVE'), ok('FAILED', { error_message: 'shard 1 failed', shards })]);
  await expect(waitForPhase(api.url, 'a', ['COMPLETED'], quick)).rejects.toThrow(
    /FAILED: shard 1 failed .*no mapping for \[x\]/,
  );
  await api.close();
});

test('a wait is bounded and says what it saw last', async () => {
  const api = await serve([ok('CUTTING_OVER')]);
  await expect(waitForPhase(api.url, 'a', ['COMPLETED'], { ...quick, timeoutMs: 1 })).rejects.toThrow(
    /last seen: a__b__1 is CUTTING_OVER/,
  );
  await api.close();
});

test('an unknown migration is an error at once', async () => {
  const api = await serve([refused('not_found', 'No migration found')]);
  await expect(waitForPhase(api.url, 'a', ['COMPLETED'], quick)).rejects.toThrow(/404 .*No migration found/);
  await api.close();
});

test('a start carries target, alias and options, and gives the id back', async () => {
  const api = await serve([{ status: 200, body: { migration_id: 'a__b__1', accepted: true } }]);
  const wanted = { doc_count_tolerance: 0 };
  const id = await startMigration(api.url, { source: 'a', target: 'b', alias: 'al', options: wanted });
  expect(id).toBe('a__b__1');
  expect(api.requests[0]?.url).toBe('POST /_plugins/_aosc/a/_start');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    target_index: 'b',
    alias: 'al',
    options: wanted,
  });
  await api.close();
});

test('an answer that the OpenAPI document does not describe is an error', async () => {
  const api = await serve([{ status: 200, body: { ...status('ACTIVE'), surprise: 1 } }]);
  await expect(readStatus(api.url, 'a')).rejects.toThrow(/additional properties/);
  await api.close();
});
