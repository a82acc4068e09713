import type { ShardRecord, WriteBlock } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
import { ClusterError, type ClusterErrorKind } from '../../ports/cluster-error';
import { blockBeforeToken, decideAbort, mayBlockLate, nodesInDoubt } from './decide-abort';

const block: WriteBlock = { requestedAtMillis: 1, usersOwn: false, confirmed: true, lifted: false };

describe('what an abort does next', () => {
  test('it takes the token, even while applications wait for the block', () => {
    expect(decideAbort(exampleMigration({ writeBlock: block }))).toEqual({ type: 'take_token' });
  });

  test('then it lifts the block, and then it undoes the rest', () => {
    const taken = exampleMigration({ tokenTaken: true, writeBlock: block });
    expect(decideAbort(taken)).toEqual({ type: 'lift_block', block });
    expect(decideAbort({ ...taken, writeBlock: { ...block, lifted: true } })).toEqual({ type: 'undo' });
  });

  test('it leaves a block of the user where it is', () => {
    const usersOwn = exampleMigration({ tokenTaken: true, writeBlock: { ...block, usersOwn: true } });
    expect(decideAbort(usersOwn)).toEqual({ type: 'undo' });
    expect(decideAbort(exampleMigration({ tokenTaken: true }))).toEqual({ type: 'undo' });
  });
});

describe('the block goes before the token', () => {
  const blocked = exampleMigration({ writeBlock: block });
  const error = (kind: ClusterErrorKind) => new ClusterError(kind, 'refused');

  test.each(['blocked', 'forbidden', 'invalid'] as const)('when the target refuses it as %s', (kind) => {
    expect(blockBeforeToken(blocked, error(kind))).toEqual(block);
  });

  test.each(['transient', 'overload', 'conflict', 'not_found', 'aborted'] as const)(
    'but not for trouble that is %s',
    (kind) => {
      expect(blockBeforeToken(blocked, error(kind))).toBeUndefined();
    },
  );

  test('but not when a swap may have been sent', () => {
    expect(blockBeforeToken({ ...blocked, commitRequested: true }, error('blocked'))).toBeUndefined();
  });

  test('but not when there is none of ours to lift', () => {
    expect(blockBeforeToken(exampleMigration(), error('blocked'))).toBeUndefined();
    const lifted = { ...blocked, writeBlock: { ...block, lifted: true } };
    expect(blockBeforeToken(lifted, error('blocked'))).toBeUndefined();
  });
});

test('a block can land late when the service has asked for one, also after it was lifted', () => {
  expect(mayBlockLate(exampleMigration({ writeBlock: { ...block, lifted: true } }))).toBe(true);
  expect(mayBlockLate(exampleMigration({ writeBlock: { ...block, usersOwn: true } }))).toBe(false);
  expect(mayBlockLate(exampleMigration())).toBe(false);
});

test('nodes are in doubt of shards that were not handed back quiet and with every outcome known, each once', () => {
  const shard = (change: Partial<ShardRecord['writer']>, ...nodes: string[]) => {
    const record = newShardRecord('k', 0, 0);
    const { owner: _none, ...writer } = record.writer;
    const quietAtMillis = writer.heartbeatAtMillis;
    return {
      record: { ...record, writer: { ...writer, fenceReady: true, quietAtMillis, ...change, nodes } },
      seqNo: 0,
      primaryTerm: 1,
    };
  };
  const shards = [
    shard({ owner: 'w1' }, 'a/1', 'b/1'),
    shard({}, 'c/1'),
    shard({ fenceReady: false }, 'b/1', 'd/1'),
    shard({ heartbeatAtMillis: 9 }, 'e/1'),
  ];
  expect(nodesInDoubt({ shards })).toEqual(['a/1', 'b/1', 'd/1', 'e/1']);
});
