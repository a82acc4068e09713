import {
  claimRecordId,
  committedAlias,
  fenceAlias,
  fencePlaceholder,
  fencePattern,
  blockAlias,
  isHiddenName,
  isOpaqueIdOf,
  isOwnName,
  isSetupAlias,
  leaseId,
  migrationRecordId,
  opaqueId,
  isShardRecordId,
  parseFenceAlias,
  parseOpaqueId,
  shardRecordId,
  setupAlias,
  setupPattern,
  tokenAlias,
  transformPipelineName,
  workOpaqueId,
} from '.';

const key = '0123456789abcdef0123';
const other = 'f123456789abcdef0123';

test('names are what the cluster and the records hold', () => {
  expect(fenceAlias(key, 3, 7)).toBe('aosc-fence-0123456789abcdef0123-3-7');
  expect(fencePattern(key)).toBe('aosc-fence-0123456789abcdef0123-*');
  expect(fencePattern(key, 1)).toBe('aosc-fence-0123456789abcdef0123-1-*');
  expect(tokenAlias(key)).toBe('aosc-token-0123456789abcdef0123');
  expect(committedAlias(key)).toBe('aosc-committed-0123456789abcdef0123');
  expect(leaseId('src__tgt__1700000000000', 2)).toBe('aosc-migration-src__tgt__1700000000000-2');
  expect(opaqueId(key, 3, 7)).toBe('aosc-0123456789abcdef0123-3-7');
  expect(migrationRecordId(key)).toBe('m-0123456789abcdef0123');
  expect(shardRecordId(key, 12)).toBe('s-0123456789abcdef0123-12');
  expect([shardRecordId(key, 12), migrationRecordId(key), 'settings'].map(isShardRecordId)).toEqual([
    true,
    false,
    false,
  ]);
  expect(claimRecordId('source', key)).toBe('c-source-0123456789abcdef0123');
});

test('names in the cluster stay below 255 bytes and are legal alias names', () => {
  const big = Number.MAX_SAFE_INTEGER;
  for (const name of [
    fenceAlias(key, big, big),
    opaqueId(key, big, big),
    tokenAlias(key),
    committedAlias(key),
  ]) {
    expect(name).toMatch(/^[a-z][a-z0-9-]{1,253}$/);
  }
});

test('a fence alias and an opaque id are taken apart again, and not mistaken for each other', () => {
  expect(parseFenceAlias(fenceAlias(key, 3, 7))).toEqual({ key, shard: 3, epoch: 7 });
  expect(parseOpaqueId(opaqueId(key, 30, 71))).toEqual({ key, shard: 30, epoch: 71 });
  expect(parseOpaqueId(fenceAlias(key, 3, 7))).toBeUndefined();
  expect(parseFenceAlias(opaqueId(key, 3, 7))).toBeUndefined();
});

test.each([
  '',
  'aosc-',
  `aosc-${key}`,
  `aosc-${key}-1`,
  `aosc-${key}-1-2-3`,
  `aosc-${key}-01-2`,
  `aosc-${key}--1-2`,
])('a stranger may send %j as opaque id', (text) => expect(parseOpaqueId(text)).toBeUndefined());

test('shard 1 is not shard 11, epoch 1 not epoch 11, and one migration not another', () => {
  expect(isOpaqueIdOf(opaqueId(key, 1, 5), key, 1)).toBe(true);
  expect(isOpaqueIdOf(opaqueId(key, 11, 5), key, 1)).toBe(false);
  expect(isOpaqueIdOf(opaqueId(key, 1, 5), key, 11)).toBe(false);
  expect(isOpaqueIdOf(opaqueId(key, 0, 5), key, 0)).toBe(true);
  expect(isOpaqueIdOf(opaqueId(key, 1, 5), key, 0)).toBe(false);
  expect(isOpaqueIdOf(opaqueId(other, 1, 5), key)).toBe(false);
  expect(isOpaqueIdOf(opaqueId(key, 8, 5), key)).toBe(true);
});

test('epochs up to the last one asked for', () => {
  expect(isOpaqueIdOf(opaqueId(key, 1, 9), key, 1, 9)).toBe(true);
  expect(isOpaqueIdOf(opaqueId(key, 1, 10), key, 1, 9)).toBe(false);
  expect(isOpaqueIdOf(opaqueId(key, 1, 10), key, 1, 11)).toBe(true);
});

test('every name that the service gives is its own, and no other name of a user is', () => {
  const given = [
    fenceAlias(key, 3, 7),
    tokenAlias(key),
    setupAlias(key, 'one'),
    fencePlaceholder(key, 3, 'one'),
    committedAlias(key),
    blockAlias(key),
    transformPipelineName(key),
    '.aosc-migrations',
    '.aosc-anything',
  ];
  expect(given.filter((name) => !isOwnName(name))).toEqual([]);
  expect(['aosc', 'aosc-v1', 'aosc-demo', 'my-aosc-fence-1', 'fence'].filter(isOwnName)).toEqual([]);
});

test("the setup aliases of all attempts are found, also the one without an attempt, and no other migration's", () => {
  const prefix = setupPattern(key).replace('*', '');
  const [mine, old] = [setupAlias(key, 'one'), prefix];
  expect([mine, old].every((alias) => isSetupAlias(key, alias) && alias.startsWith(prefix))).toBe(true);
  expect(isSetupAlias(key, setupAlias(other, 'one'))).toBe(false);
});

test('hidden is what begins with a dot', () => {
  expect(['.kibana', '.', '.aosc-migrations', 'v1.2', 'a.'].filter(isHiddenName)).toEqual([
    '.kibana',
    '.',
    '.aosc-migrations',
  ]);
});

test('the name of other requests is never that of a writer', () => {
  const names = [workOpaqueId('scheduler', key), workOpaqueId('worker', key, { shard: 1, kind: 'replay' })];
  expect(names).toEqual([`aosc-scheduler-${key}`, `aosc-worker-${key}-1-replay`]);
  expect(names.filter((name) => isOpaqueIdOf(name, key))).toEqual([]);
});
