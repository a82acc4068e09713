import { findBlocker } from './read-indices';

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
