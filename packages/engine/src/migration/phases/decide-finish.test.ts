import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';
import {
  blockToLift,
  decideShardsEnd,
  findStrayWrites,
  hasTimedOut,
  mayWritesRun,
  sinceSwapMs,
} from './decide-finish';

const swappedAtMillis = 100_000;
const swapped: Pick<MigrationRecord, 'cutoverContext'> = {
  cutoverContext: {
    docCountTolerance: 0,
    docCountValidationPassed: true,
    aliasSwapSucceeded: true,
    cutoverStartMillis: 99_000,
    cutoverEndMillis: swappedAtMillis,
  },
};

describe('the shards after the swap', () => {
  test('have ended when each is completed, or has failed in closing what it held', () => {
    expect(decideShardsEnd(swapped, ['COMPLETED', 'FAILING', 'FAILED'], swappedAtMillis)).toBe('ended');
  });

  test.each(['COMPLETING', 'CATCHING_UP'] as const)('are waited for while one is %s', (phase) => {
    expect(decideShardsEnd(swapped, ['COMPLETED', phase], swappedAtMillis + 10_000)).toBe('wait');
  });

  test('are taken away from workers that do not close their snapshots', () => {
    expect(decideShardsEnd(swapped, ['COMPLETED', 'COMPLETING'], swappedAtMillis + 10_001)).toBe('take_away');
    expect(decideShardsEnd({}, ['COMPLETING'], swappedAtMillis)).toBe('take_away');
  });
});

describe('writes after the swap', () => {
  const finalSeqNos = { 0: 7, 1: -1 };

  test('there are none while each shard is where its last round has left it', () => {
    const checkpoints = [
      { shard: 0, maxSeqNo: 7 },
      { shard: 1, maxSeqNo: -1 },
    ];
    expect(findStrayWrites({ finalSeqNos }, checkpoints, 0)).toEqual({ type: 'none' });
  });

  test('a primary that tells nothing is waited for, and then named: no answer is not "none"', () => {
    const record = { ...swapped, finalSeqNos };
    for (const checkpoints of [[], [{ shard: 0, maxSeqNo: 7 }]]) {
      expect(findStrayWrites(record, checkpoints, swappedAtMillis + 10_000)).toEqual({ type: 'wait' });
      expect(findStrayWrites(record, checkpoints, swappedAtMillis + 10_001)).toEqual({
        type: 'unknown',
        text: expect.stringContaining(`shard [${checkpoints.length}] since the swap`) as string,
      });
    }
  });

  test.each([
    [[{ shard: 1, maxSeqNo: 0 }], 1],
    [[{ shard: 2, maxSeqNo: -1 }], 2],
    [
      [
        { shard: 1, maxSeqNo: -1 },
        { shard: 0, maxSeqNo: 8 },
      ],
      0,
    ],
  ])('the shard that has another number is named', (checkpoints, shard) => {
    expect(findStrayWrites({ finalSeqNos }, checkpoints, swappedAtMillis)).toEqual({
      type: 'found',
      text: expect.stringContaining(`source shard [${shard}] was written to`) as string,
    });
  });
});

test('a write after our own lift of the block is no stray one', () => {
  const writeBlock: WriteBlock = { requestedAtMillis: 1, usersOwn: false, confirmed: true, lifted: true };
  const written = [{ shard: 0, maxSeqNo: 9 }];
  const record = { ...swapped, finalSeqNos: { '0': 7 } };
  expect(findStrayWrites({ ...record, writeBlock }, written, swappedAtMillis)).toEqual({ type: 'none' });
  const blocked = { ...record, writeBlock: { ...writeBlock, lifted: false } };
  expect(findStrayWrites(blocked, written, swappedAtMillis)).toMatchObject({ type: 'found' });
});

describe('the block after the swap', () => {
  const block: WriteBlock = { requestedAtMillis: 1, usersOwn: false, confirmed: true, lifted: false };
  const options = exampleMigration().options;
  const of = (asked: boolean, parts: Partial<WriteBlock> = {}) =>
    exampleMigration({
      writeBlock: { ...block, ...parts },
      options: { ...options, removeSourceWriteBlockOnSuccess: asked },
    });

  test('is lifted when it was asked for, once', () => {
    expect(blockToLift(of(true))).toEqual(block);
    expect(blockToLift(of(true, { lifted: true }))).toBeUndefined();
  });

  test('stays otherwise, and when it is of the user', () => {
    expect(blockToLift(of(false))).toBeUndefined();
    expect(blockToLift(of(true, { usersOwn: true }))).toBeUndefined();
    expect(blockToLift(exampleMigration())).toBeUndefined();
  });
});

describe('writes that are older than the swap', () => {
  test('may run while one is told of, or a member of the cluster has not told', () => {
    const members = ['a/1', 'b/1'];
    expect(mayWritesRun({ running: [], answered: ['a', 'b'] }, members)).toBe(false);
    expect(mayWritesRun({ running: ['bulk'], answered: ['a', 'b'] }, members)).toBe(true);
    expect(mayWritesRun({ running: [], answered: ['a'] }, members)).toBe(true);
  });

  test('have run for a second less than the swap is ago', () => {
    expect(sinceSwapMs(swapped, swappedAtMillis + 5000)).toBe(4000);
    expect(sinceSwapMs(swapped, swappedAtMillis + 500)).toBe(0);
    // The swap was written by another process, whose clock is a little ahead.
    expect(sinceSwapMs(swapped, swappedAtMillis - 500)).toBe(0);
  });

  test('have run for a second by a clock that was set back: not every write counts', () => {
    expect(sinceSwapMs(swapped, swappedAtMillis - 60_000)).toBe(1000);
  });

  test('have ended when a request has had its time', () => {
    expect(hasTimedOut(swapped, swappedAtMillis + 29_999, 30_000)).toBe(false);
    expect(hasTimedOut(swapped, swappedAtMillis + 30_000, 30_000)).toBe(true);
    expect(hasTimedOut({}, swappedAtMillis, 30_000)).toBe(false);
  });
});
