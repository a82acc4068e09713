import { exampleMigration } from '@aosc/testkit';
import { findMovedAlias } from './swap-needs';

const { options } = exampleMigration();
const recordWith = (createAlias?: boolean) =>
  exampleMigration({ options: { ...options, ...(createAlias !== undefined && { createAlias }) } });
const there = { aliases: new Map([['library', { json: '{}' }]]) };
const gone = { aliases: new Map() };

test.each([
  ['where the start has found it', recordWith(false), there, ['books'], undefined],
  ['elsewhere', recordWith(false), gone, ['comics'], 'points at another index by now'],
  ['on a further index', recordWith(false), there, ['books', 'comics'], 'points at another index by now'],
  ['nowhere any more', recordWith(false), gone, [], 'was taken away from source index [books]'],
  ['nowhere, and the swap may create it', recordWith(true), gone, [], undefined],
  ['nowhere, and the start was of an earlier version', recordWith(), gone, [], undefined],
])('an alias that is %s', (_, record, source, holders, reason) => {
  const found = findMovedAlias(record, source, holders);
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(reason);
});
