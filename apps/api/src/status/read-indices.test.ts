import { findBlocker, showIndex } from './read-indices';

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
    { key, uuid: 'u', caller: { mayUseAlias: (alias) => alias !== 'secret' } },
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
