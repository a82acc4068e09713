import type { ClusterPorts, IndexDescription } from '@aosc/engine';
import { createMigration } from '../__tests__/create-migration';
import { findBlocker, readMigrationIndices, showIndex } from './read-indices';

const writeBlock = { requestedAtMillis: 1, usersOwn: false, confirmed: true, lifted: false };
const blocked = { migrationId: 'own', sourceUuid: 'u', startTimeMillis: 2, writeBlock };
const { writeBlock: _none, ...unblocked } = blocked;
const later = { ...blocked, migrationId: 'later', startTimeMillis: 3 };
const earlier = { ...blocked, migrationId: 'earlier', startTimeMillis: 1 };

test.each([
  ['its own block, of which the search does not know yet', blocked, [unblocked], 'own'],
  ['a block that it has lifted, and the search does not know that yet', unblocked, [blocked], undefined],
  ['the block of an earlier migration', unblocked, [unblocked, earlier], 'earlier'],
  ['the block of a later one before its own', blocked, [later, blocked, earlier], 'later'],
  ["a user's own block", { ...blocked, writeBlock: { ...writeBlock, usersOwn: true } }, [], undefined],
  ['a block on an index that had the name before', { ...blocked, sourceUuid: 'other' }, [], undefined],
] as const)('%s', (_, own, found, id) => {
  expect(findBlocker(own, found, 'u')).toBe(id);
});

const key = '0123456789abcdef0123';
const other = 'ffffffffffffffffffff';
const seen = (...names: readonly string[]) =>
  showIndex(
    { key, uuid: 'u', caller: { mayUseAlias: (alias) => alias !== 'secret', mayUseIndex: () => true } },
    { index: 'b', uuid: 'u', aliases: new Map(names.map((name) => [name, { json: '{}' }])), settings: {} },
  );

test.each([`aosc-fence-${other}-0-1`, `aosc-token-${other}`, `aosc-setup-${other}-1`])(
  'an index that carries %s is filled by another migration',
  (name) => {
    expect(seen(name)).toMatchObject({ state: 'same', aliases: [], in_use: true });
  },
);

test("neither the migration's own names nor a mark that stays say that an index is in use", () => {
  expect(seen('al', `aosc-fence-${key}-0-1`, `aosc-token-${key}`, `aosc-made-${other}`)).toEqual({
    name: 'b',
    state: 'same',
    aliases: ['al'],
    is_write_blocked: false,
  });
});

test("an alias beyond the caller's patterns is not named, and counts all the same", () => {
  expect(seen('al', 'secret').aliases).toEqual(['al', '(another alias)']);
});

test("of a target beyond the caller's patterns the answer says where the alias is, and neither documents nor neighbours", async () => {
  const migration = createMigration();
  const { sourceIndex, sourceUuid, targetIndex, targetUuid, alias } = migration;
  const describe = (index: string): Partial<IndexDescription> => ({
    index,
    uuid: index === sourceIndex ? sourceUuid : targetUuid,
    open: true,
    aliases: new Map(),
    settings: { 'index.blocks.write': 'true' },
  });
  const neighbour = createMigration({
    migrationId: 'neighbour',
    sourceIndex: targetIndex,
    sourceUuid: targetUuid,
    writeBlock: migration.writeBlock ?? writeBlock,
  });
  const cluster = {
    aliases: { indicesOf: () => Promise.resolve([targetIndex, 'secret']) },
    index: (name: string) => ({
      state: { describe: () => Promise.resolve(describe(name)), count: () => Promise.resolve(7) },
    }),
  } as unknown as ClusterPorts;
  const store = {
    listMigrations: ({ sourceIndex: of }: { sourceIndex?: string }) =>
      Promise.resolve({ migrations: of === targetIndex ? [neighbour] : [], total: 1, truncated: false }),
  };
  const ask = async (indexPatterns: readonly string[] | undefined) => {
    const principal = { name: 'o', kind: 'api_key', roles: ['read'], indexPatterns } as const;
    const call = { signal: AbortSignal.any([]) };
    return readMigrationIndices({ cluster, store: store as never, now: () => 1 }, migration, principal, call);
  };
  expect(await ask([sourceIndex])).toMatchObject({
    alias: { name: alias, indices: [targetIndex, '(another index)'] },
    source: { document_count: 7 },
    target: { blocked_by: '(another migration)' },
  });
  expect((await ask([sourceIndex])).target).not.toHaveProperty('document_count');
  expect(await ask(undefined)).toMatchObject({
    alias: { indices: [targetIndex, 'secret'] },
    target: { blocked_by: 'neighbour', document_count: 7 },
  });
});
