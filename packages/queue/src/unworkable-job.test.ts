import { NewerVersionError } from '@aosc/contract';
import { findMigrationKey, parseAdvanceJob, parseShardJob } from './job-data';
import { decideUnworkable } from './unworkable-job';

const key = '0123456789abcdef0123';

describe.each([
  ['shard', parseShardJob, { v: 1, key, shard: 3 }],
  ['advance', parseAdvanceJob, { v: 1, key }],
] as const)('the payload of a %s job', (what, parse, payload) => {
  test('of this version is read, with fields that a later one may have added', () => {
    expect(parse(payload)).toEqual(payload);
    expect(parse({ ...payload, priority: 1 })).toMatchObject(payload);
  });

  test.each([2, 41])('of version %i is refused by name, whatever else is in it', (v) => {
    for (const newer of [{ ...payload, v }, { v }]) {
      const read = () => parse(newer);
      expect(read).toThrow(NewerVersionError);
      expect(read).toThrow(`this ${what} job: it has version ${v}, and this process knows versions up to 1`);
    }
  });

  test.each([
    ['no version', { ...payload, v: undefined }],
    ['a version that is no number', { ...payload, v: '2' }],
    ['a version that there never was', { ...payload, v: 0 }],
    ['no migration', { ...payload, key: undefined }],
    ['nothing', undefined],
    ['a text', 'secret'],
  ])('that has %s is none of the service', (_, other) => {
    expect(() => parse(other)).toThrow(`payload of a ${what} job has an unexpected shape`);
  });
});

test('the migration of a job is known in later versions too', () => {
  expect(findMigrationKey({ v: 9, key, shards: [1, 2] })).toBe(key);
  for (const other of [undefined, 'text', {}, { key: 1 }]) expect(findMigrationKey(other)).toBeUndefined();
});

describe('a job that a handler could not work on', () => {
  const newer = new NewerVersionError('shard job', 2, 1);

  test('is left to a later version for a minute', () => {
    expect(decideUnworkable(newer, 1_000, 1_000)).toBe('leave');
    expect(decideUnworkable(newer, 1_000, 60_999)).toBe('leave');
  });

  test('and then makes room for a job that this version can work on', () => {
    expect(decideUnworkable(newer, 1_000, 61_000)).toBe('drop');
  });

  test('stays also when it seems to have been made in the future', () => {
    expect(decideUnworkable(newer, 9_000, 1_000)).toBe('leave');
  });

  test('is dropped at once for any other reason', () => {
    for (const error of [new Error('x'), 'x', undefined]) expect(decideUnworkable(error, 1, 1)).toBe('drop');
  });
});
