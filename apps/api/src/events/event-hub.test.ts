import { PassThrough } from 'node:stream';
import type { MigrationRecord } from '@aosc/contract';
import { createLogger } from '@aosc/telemetry';
import { createMigration } from '../__tests__/create-migration';
import { createEventHub, type EventHub, type EventSink } from './event-hub';

const logger = createLogger({ app: 'api', level: 'error', stream: new PassThrough().resume() });
const hubs: EventHub[] = [];
afterEach(() => hubs.splice(0).forEach((hub) => hub.close()));

/** A hub on records that the test changes, and a clock of its own. */
function start() {
  const state = { records: [createMigration()] as MigrationRecord[], reads: 0, millis: 0, error: '' };
  const read = <T>(value: T): Promise<T> => {
    state.reads += 1;
    return state.error === '' ? Promise.resolve(value) : Promise.reject(new Error(state.error));
  };
  const hub = createEventHub({
    store: {
      listActive: () => read(state.records.map((record) => ({ record, seqNo: 1, primaryTerm: 1 }))),
      listMigrations: () =>
        Promise.resolve({
          migrations: state.records,
          shardPhases: new Map(),
          truncated: false,
          activeCount: state.records.length,
        }),
      pollShards: () => Promise.resolve([]),
      readShards: () => Promise.resolve([]),
    },
    newCall: () => ({ signal: new AbortController().signal }),
    logger,
    now: () => state.millis,
    lookEveryMs: 1,
  });
  hubs.push(hub);
  return { hub, state };
}

/** A client; `isFull` is what the test says. */
function createClient(lastEventId?: string) {
  let text = '';
  const client = { ended: '', isFull: false, isValid: true };
  const sink: EventSink = {
    write: (more) => void (text += more),
    get isFull() {
      return client.isFull;
    },
    end: (how) => void (client.ended = how),
  };
  const until = async (phrase: string): Promise<string> => {
    while (!text.includes(phrase)) await new Promise((resolve) => setImmediate(resolve));
    const seen = text;
    text = '';
    return seen;
  };
  return {
    client,
    until,
    read: () => text,
    subscriber: {
      credential: undefined,
      isValid: () => client.isValid,
      lastEventId,
      mayUse: (index: string): boolean => index !== '',
      sink,
    },
  };
}
const idIn = (text: string): string => /^id: (.+)$/m.exec(text)?.[1] ?? '';

test('each client is told everything, then what changes', async () => {
  const { hub, state } = start();
  const [one, two] = [createClient(), createClient()];
  hub.subscribe(one.subscriber);
  hub.subscribe(two.subscriber);
  expect(await one.until('event: ready')).toContain('event: reset\ndata: {}\n\nevent: migration\n');
  await two.until('event: ready');
  state.records = state.records.map((record) => ({ ...record, phase: 'COMPLETING' }));
  expect(await one.until('event: ready')).toContain('"phase":"COMPLETING"');
  const second = await two.until('event: ready');
  expect(second).toContain('"phase":"COMPLETING"');
  expect(second).not.toContain('event: reset');
});

test('a client that comes back goes on where it was; an id of another process begins anew', async () => {
  const { hub } = start();
  const first = createClient();
  const leave = hub.subscribe(first.subscriber);
  const id = idIn(await first.until('event: ready'));
  expect(id).toMatch(/^[0-9a-f]{12}-\d+$/);
  leave();
  const again = createClient(id);
  hub.subscribe(again.subscriber);
  const told = await again.until('event: ready');
  expect(told).not.toContain('event: reset');
  expect(told).not.toContain('event: migration');
  const stranger = createClient('000000000000-1');
  hub.subscribe(stranger.subscriber);
  expect(await stranger.until('event: ready')).toContain('event: reset');
});

test('a client that takes nothing is written nothing more, and is dropped', async () => {
  const { hub, state } = start();
  const [slow, other] = [createClient(), createClient()];
  slow.client.isFull = true;
  hub.subscribe(slow.subscriber);
  hub.subscribe(other.subscriber);
  await other.until('event: ready');
  expect(slow.read()).toBe('retry: 2000\n\n');
  state.records = [];
  await other.until('event: gone');
  expect(slow.read()).toBe('retry: 2000\n\n');
});

test('a client that has not taken a batch for long is dropped at once; the others stay', async () => {
  const { hub, state } = start();
  const [slow, other] = [createClient(), createClient()];
  hub.subscribe(slow.subscriber);
  hub.subscribe(other.subscriber);
  await other.until('event: ready');
  slow.client.isFull = true;
  while (slow.client.ended === '') {
    const { reads } = state;
    while (state.reads === reads) await new Promise((resolve) => setImmediate(resolve));
    state.millis += 15_000;
  }
  expect(slow.client.ended).toBe('at_once');
  expect(other.client.ended).toBe('');
});

test('trouble with the records is told, and that it is over', async () => {
  const { hub, state } = start();
  const one = createClient();
  hub.subscribe(one.subscriber);
  await one.until('event: ready');
  state.error = 'nobody there';
  const told = await one.until('event: trouble');
  // Unexpected errors go only to the log.
  expect(told).toContain('its log has the cause');
  expect(told).not.toContain('nobody there');
  state.error = '';
  await one.until('event: ready');
});

test('nobody who follows: nothing is read', async () => {
  const { hub, state } = start();
  const one = createClient();
  const leave = hub.subscribe(one.subscriber);
  await one.until('event: ready');
  leave();
  let before = -1;
  for (let rest = 0; rest < 200; rest += 1) {
    if (state.reads !== before) rest = 0;
    before = state.reads;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(state.reads).toBe(before);
});

test('a close ends all streams in order, and takes no more', () => {
  const { hub } = start();
  const one = createClient();
  hub.subscribe(one.subscriber);
  hub.close();
  expect(one.client.ended).toBe('in_order');
  expect(() => hub.subscribe(createClient().subscriber)).toThrow('shutting down');
});

test('places are bounded', () => {
  const { hub } = start();
  const many = Array.from({ length: 512 }, () => createClient());
  for (const { subscriber } of many) hub.subscribe(subscriber);
  expect(() => hub.subscribe(createClient().subscriber)).toThrow('512 pages');
  expect(many.every(({ client }) => client.ended === '')).toBe(true);
});

test('a credential has 64 places; another one has its own', () => {
  const { hub } = start();
  const subscribe = (credential: string) => hub.subscribe({ ...createClient().subscriber, credential });
  for (let n = 0; n < 64; n++) subscribe('user ann');
  expect(() => subscribe('user ann')).toThrow('64 pages follow');
  subscribe('user ben');
});

test('a credential that is not what it was loses its streams when it is looked at again', () => {
  const { hub } = start();
  const [revoked, other] = [createClient(), createClient()];
  hub.subscribe(revoked.subscriber);
  hub.subscribe(other.subscriber);
  revoked.client.isValid = false;
  expect(revoked.client.ended).toBe('');
  hub.recheck();
  expect([revoked.client.ended, other.client.ended]).toEqual(['in_order', '']);
});

test('what changes of others shows neither in events nor in ids', async () => {
  const { hub, state } = start();
  const [limited, all] = [createClient(), createClient()];
  const own = createMigration();
  hub.subscribe({ ...limited.subscriber, mayUse: (index: string) => index === own.sourceIndex });
  hub.subscribe(all.subscriber);
  const first = idIn(await limited.until('event: ready'));
  await all.until('event: ready');
  for (let count = 1; count <= 5; count += 1) {
    state.millis += 2_000;
    state.records = [own, createMigration({ migrationId: `other-${count}`, sourceIndex: 'other' })];
    await all.until(`other-${count}`);
  }
  expect(limited.read()).toBe('');
  state.records = [{ ...own, phase: 'COMPLETING' }];
  const second = idIn(await limited.until('event: ready'));
  // An id is the time of a look: 10 s have passed.
  expect(second.split('-')[1]).toBe('10001');
  expect(Number(first.split('-')[1])).toBeLessThan(10);
});
