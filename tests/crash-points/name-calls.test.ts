import { callAt, momentsAt } from './place';
import { nameHttpCalls, readRecordWrites, wereWritten } from './name-http-call';
import { nameRedisCall } from './name-redis-call';
import { createRecordMemory } from './record-memory';

const key = '0123456789abcdef0123';

function nameOf(method: string, path: string, body: object | string = ''): string | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return nameHttpCalls({ method, path, body: Buffer.from(text) }, createRecordMemory())[0]?.what;
}

test.each([
  ['GET', '/a-v1/_stats', undefined],
  ['POST', '/a-v1/_search', undefined],
  ['POST', '/_search?routing=1', undefined],
  ['POST', '/a-v1/_count', undefined],
  ['POST', '/.aosc-migrations/_mget', undefined],
  ['PUT', '/a-v1/_block/write', 'PUT source/_block/write'],
  ['PUT', `/aosc-block-${key}/_block/write`, 'PUT source/_block/write'],
  ['POST', '/a-v2/_refresh', 'POST target/_refresh'],
  ['DELETE', `/_ingest/pipeline/aosc-transform-${key}`, 'DELETE _ingest/pipeline/transform'],
  ['POST', '/a-v1/_search/point_in_time?preference=_shards%3A1%7C_primary', 'open a snapshot'],
  ['DELETE', '/_search/point_in_time', 'close snapshots'],
  ['POST', '/_cluster/reroute?retry_failed=true', 'POST _cluster/reroute'],
  ['PUT', '/something/_new', 'PUT something/_new'],
])('%s %s is named %s', (method, path, name) => {
  expect(nameOf(method, path)).toBe(name);
});

test('an alias update is named by the kinds of aliases that come and go', () => {
  const fences = [0, 1].map((shard) => ({ add: { alias: `aosc-fence-${key}-${shard}-1` } }));
  const setup = { remove: { alias: `aosc-setup-${key}` } };
  const token = { add: { alias: `aosc-token-${key}` } };
  expect(nameOf('POST', '/_aliases', { actions: [setup, token, ...fences] })).toBe(
    'aliases: -setup +token +fence',
  );
  const next = [{ remove: { alias: `aosc-fence-${key}-1-1` } }, { add: { alias: `aosc-fence-${key}-1-2` } }];
  expect(nameOf('POST', '/_aliases', { actions: next })).toBe('aliases: next fence');
});

test('a bulk is named by its first action, and its fence shows whose it is', () => {
  const bulk = { method: 'POST', path: `/aosc-fence-${key}-3-2/_bulk?pipeline=_none` };
  const body = Buffer.from('{"delete":{"_id":"1"}}\n');
  expect(nameHttpCalls({ ...bulk, body }, createRecordMemory())).toMatchObject([
    { what: 'bulk of deletes', key, shard: 3 },
  ]);
});

test('records that are written together are named one by one', () => {
  const memory = createRecordMemory();
  const before = { phase: 'CONVERGING', writer: { owner: 'a', epoch: 1 } };
  for (const shard of [1, 2]) memory.note('PUT', `s-${key}-${shard}`, Buffer.from(JSON.stringify(before)));
  const lines = [
    { index: { _id: `s-${key}-1`, if_seq_no: 4, if_primary_term: 1 } },
    { ...before, phase: 'CONVERGED' },
    { index: { _id: `s-${key}-2`, if_seq_no: 5, if_primary_term: 1 } },
    { ...before, writer: { epoch: 1 } },
    { create: { _id: `s-${key}-3` } },
    { phase: 'PENDING' },
  ];
  const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const call = { method: 'POST', path: '/.aosc-migrations/_bulk?pipeline=_none', body };
  expect(nameHttpCalls(call, memory)).toMatchObject([
    { what: 'record of the shard: to CONVERGED', key, shard: 1 },
    { what: 'record of the shard: released', key, shard: 2 },
    { what: 'record of the shard: to PENDING', key, shard: 3 },
  ]);
  const items = [{ index: { status: 409 } }, { index: { status: 200 } }, { create: { status: 201 } }];
  const answer = Buffer.from(JSON.stringify({ errors: true, items }));
  const writes = readRecordWrites(call);
  expect(wereWritten(writes, { status: 200, body: answer })).toEqual([false, true, true]);
  expect(wereWritten(writes, { status: 200 })).toEqual([true, true, true]);
  expect(wereWritten(writes, { status: 429, body: Buffer.from('{}') })).toEqual([false, false, false]);
});

test('the write of a record is named by what it changes', () => {
  const memory = createRecordMemory();
  const write = (id: string, body: object): string => {
    const bytes = Buffer.from(JSON.stringify(body));
    const { what } = memory.name('PUT', id, bytes);
    memory.note('PUT', id, bytes);
    return what;
  };
  expect(write(`m-${key}`, { phase: 'ACTIVE' })).toBe('record of the migration: to ACTIVE');
  expect(write(`m-${key}`, { phase: 'ACTIVE', last_updated_millis: 1, committed: true })).toBe(
    'record of the migration: committed',
  );
  const shard = { phase: 'PENDING', writer: { epoch: 1, heartbeat_at_millis: 1 } };
  write(`s-${key}-0`, shard);
  const writer = { ...shard.writer, heartbeat_at_millis: 2 };
  expect(write(`s-${key}-0`, { ...shard, writer })).toBe('record of the shard: progress');
  expect(write(`s-${key}-0`, { ...shard, writer: { ...writer, owner: 'me' } })).toBe(
    'record of the shard: claimed',
  );
  expect(write(`t-${key}`, { points: [] })).toBe('record of the timeline');
  expect([memory.newestKey(), memory.migrationPhase(key), memory.shardPhase(key, 0)]).toEqual([
    key,
    'ACTIVE',
    'PENDING',
  ]);
});

test('commands of Redis are named by what they change, and where', () => {
  const name = (...texts: string[]): string | undefined =>
    nameRedisCall({
      name: texts[0] ?? '',
      words: texts.map((text) => Buffer.from(text)),
      transaction: [],
    })?.what;
  expect(name('GET', 'aosc:installation')).toBeUndefined();
  expect(name('ZREVRANGEBYSCORE', 'aosc:cluster:replay:delayed', '+inf', '1')).toBeUndefined();
  expect(name('HSET', 'aosc:cluster:backfill-node:meta', 'a', 'b')).toBe('redis HSET backfill');
  expect(name('FLUSHALL')).toBe('redis FLUSHALL ');
  expect(momentsAt('worker/any/redis BZPOPMIN replay')).toEqual(['after']);
});

test('a call is the same in every phase', () => {
  expect(callAt('scheduler/CUTTING_OVER/PUT source/_block/write')).toBe('scheduler: PUT source/_block/write');
  expect(callAt('worker/CONVERGING/record of the shard: next_snapshot')).toBe('worker: record of the shard');
  expect(callAt('worker/CONVERGED/record of the shard: to CATCHING_UP')).toBe(
    'worker: record of the shard: to CATCHING_UP',
  );
});
