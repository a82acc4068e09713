import type { MigrationRecord, SetAsideDocument } from '@aosc/contract';
import { allSetAside, describeUnaccepted, digestedText, findTooMany } from './summary';

const entry: SetAsideDocument = { id: 'a', version: '1', seqNo: 5, type: 't', reason: 'r' };
const other = { ...entry, id: 'b' };
const accepted = (digest: string) => ({ setAsideAccepted: { digest, atMillis: 1 } });

test('the digest stands for documents and their operations, in whatever order and for whatever reason', () => {
  const text = digestedText([entry, other]);
  expect(digestedText([other, { ...entry, reason: 'another' }])).toBe(text);
  for (const change of [{ id: 'c' }, { routing: 'x' }, { version: '2' }, { seqNo: 6 }])
    expect(digestedText([{ ...entry, ...change }, other])).not.toBe(text);
  expect(digestedText([{ ...entry, id: 'a', routing: 'b' }])).not.toBe(
    digestedText([{ ...entry, id: 'ab' }]),
  );
});

test('the cutover waits until nothing is set aside, or until exactly that is accepted', () => {
  expect(describeUnaccepted([], 'd', {})).toBeUndefined();
  expect(describeUnaccepted([entry], 'd', accepted('d'))).toBeUndefined();
  expect(describeUnaccepted([entry], 'd', {})).toContain('1 document is set aside');
  expect(describeUnaccepted([entry, other], 'd', accepted('before'))).toContain(
    'others than those that were',
  );
});

test('the bound is that of the migration, over all shards', () => {
  const record = { options: { maxDocumentsSetAside: 2 } as MigrationRecord['options'] };
  const count = (shards: Parameters<typeof allSetAside>[0]) => allSetAside(shards).length;
  expect(findTooMany(record, count([{ setAside: [entry] }, { setAside: [other] }, {}]))).toBeUndefined();
  expect(findTooMany(record, count([{ setAside: [entry, other] }, { setAside: [entry] }]))).toContain(
    '3 documents, and 2 may be set aside',
  );
  expect(findTooMany({ options: {} as MigrationRecord['options'] }, 1)).toBeUndefined();
});
