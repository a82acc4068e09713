import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { createParser, type MigrationSummary, MigrationSummarySchema } from '@aosc/contract';
import type { Stack } from '@aosc/local-stack';
import { borrowStack } from '@aosc/testkit';
import { type ApiUnderTest, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `e-${randomUUID()}`;
const [source, target] = [`${prefix}-source`, `${prefix}-target`];
const parse = createParser('data of an event [migration]', MigrationSummarySchema);

beforeAll(async () => {
  stack = await borrowStack();
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.store.ensureIndex(aosc.call);
  const settings = { number_of_shards: 2, number_of_replicas: 0, number_of_routing_shards: 768 };
  for (const name of [source, target]) await aosc.cluster('PUT', `/${name}`, { settings });
});
afterAll(async () => {
  if (stack !== undefined) {
    await aosc.forgetMigrations();
    await aosc.close();
  }
  await stack?.stop();
});

/** Follows the stream. */
async function follow(lastEventId?: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    get(`${aosc.url}/_plugins/_aosc/_events`, { headers }, resolve).on('error', reject);
  });
  response.setEncoding('utf8');
  let text = '';
  let hasEnded = false;
  response.on('data', (chunk: string) => (text += chunk));
  response.on('close', () => (hasEnded = true));
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    /** All that came up to a text. */
    until: async (isSo: (text: string) => boolean): Promise<string> => {
      while (!isSo(text)) {
        if (hasEnded) throw new Error(`the stream has ended: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return text;
    },
    ended: async (): Promise<void> => {
      while (!hasEnded) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    leave: () => response.destroy(),
  };
}

function migrationsIn(text: string): readonly MigrationSummary[] {
  return [...text.matchAll(/^event: migration\ndata: (.+)$/gm)].map(([, data = '']) =>
    parse(JSON.parse(data)),
  );
}
const isReady = (text: string): boolean => text.includes('event: ready');

test('a start and a cancel are shown as they happen, and a client that comes back goes on', async () => {
  const first = await follow();
  expect([first.status, first.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await first.until(isReady);
  const body = { target_index: target, alias: `${prefix}-alias`, options: { create_alias: true } };
  expect((await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, body)).status).toBe(200);
  const started = await first.until((text) => migrationsIn(text).some(({ phase }) => phase === 'ACTIVE'));
  expect(migrationsIn(started).at(-1)).toMatchObject({
    source_index: source,
    shard_routing_mode: 'SAME_SHARD',
    target_shard_count: 2,
    shards_by_phase: { PENDING: 2 },
  });
  await first.until((text) => isReady(text.slice(text.indexOf('event: migration'))));
  const seen = await first.until(() => true);
  const id = [...seen.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
  first.leave();
  expect((await aosc.api('POST', `/_plugins/_aosc/${source}/_cancel`)).status).toBe(200);
  const second = await follow(id);
  const told = await second.until((text) => migrationsIn(text).some(({ phase }) => phase === 'CANCELLING'));
  expect(told).not.toContain('event: reset');
  second.leave();
});

test('HEAD is answered and ends; a shutdown ends the streams', async () => {
  const { status } = await aosc.send('/_plugins/_aosc/_events', { method: 'HEAD' });
  expect(status).toBe(200);
  const other = await startApi({
    openSearch: stack?.openSearchUrls.join(',') ?? '',
    redis: stack?.redisUrl ?? '',
  });
  const before = aosc;
  aosc = other;
  const stream = await follow();
  await stream.until(isReady);
  aosc = before;
  await other.close();
  await stream.ended();
});
