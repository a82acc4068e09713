import type { WriteBlock } from '@aosc/contract';
import { announcedBlock } from './announced-block';

const begun = { confirmed: false, lifted: false };
const late: WriteBlock = { requestedAtMillis: 1, usersOwn: false, confirmed: true, lifted: true };

test.each<[string, string | undefined, WriteBlock | undefined, Partial<WriteBlock>]>([
  ['a source that takes writes', undefined, undefined, { usersOwn: false }],
  ['one whose setting says so', 'false', undefined, { usersOwn: false, original: 'false' }],
  ["one that is blocked: the block is the user's", 'true', undefined, { usersOwn: true, original: 'true' }],
  ['one with the late block of another migration', 'true', late, { usersOwn: false }],
  [
    'one with a late block, and a setting before it',
    'true',
    { ...late, original: 'false' },
    { usersOwn: false, original: 'false' },
  ],
])('of %s', (_, found, lateBlock, parts) => {
  expect(announcedBlock(found, lateBlock)).toEqual({ ...begun, ...parts });
});
