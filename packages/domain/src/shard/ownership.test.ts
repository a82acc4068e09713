import type { ShardRecord } from '@aosc/contract';
import { newShardRecord } from './new-shard';
import { decideClaim, releaseWriter, revokeWriter } from './ownership';

const staleAfterMs = 1000;

function createShard(writer: Partial<ShardRecord['writer']> = {}): ShardRecord {
  const record = newShardRecord('0123456789abcdef0123', 3, 0);
  return { ...record, writer: { ...record.writer, ...writer } };
}

test('a shard that was handed back is claimed in the same epoch, its fence stays', () => {
  const decision = decideClaim(createShard({ epoch: 4 }), { id: 'me' }, 50, staleAfterMs);
  expect(decision).toMatchObject({
    type: 'claimed',
    takeover: false,
    record: { writer: { epoch: 4, fenceReady: true, owner: 'me', heartbeatAtMillis: 50 } },
  });
});

test('a shard whose owner shows life is busy', () => {
  const record = createShard({ owner: 'other', heartbeatAtMillis: 10_000 });
  expect(decideClaim(record, { id: 'me' }, 10_999, staleAfterMs)).toEqual({ type: 'busy' });
});

test('a shard whose owner shows no life is taken over in a new epoch that has no fence yet', () => {
  const record = createShard({ owner: 'other', heartbeatAtMillis: 10_000, epoch: 2 });
  expect(decideClaim(record, { id: 'me' }, 11_000, staleAfterMs)).toMatchObject({
    type: 'claimed',
    takeover: true,
    record: { writer: { epoch: 3, fenceReady: false, owner: 'me' } },
  });
});

test('a heartbeat far in the future proves nothing: a clock has jumped', () => {
  const record = createShard({ owner: 'other', heartbeatAtMillis: 1_000_000 });
  expect(decideClaim(record, { id: 'me' }, 1000, staleAfterMs)).toMatchObject({
    type: 'claimed',
    takeover: true,
  });
});

test('handing back keeps epoch and fence, and takes the owner away', () => {
  const released = releaseWriter(createShard({ owner: 'me', epoch: 5 }));
  expect(released.writer).toEqual({ epoch: 5, fenceReady: true, heartbeatAtMillis: 0 });
});

test('taking away, and handing back with a bulk in doubt, begin a new epoch', () => {
  const revoked = revokeWriter(createShard({ owner: 'me', epoch: 5 }));
  expect(revoked.writer).toEqual({ epoch: 6, fenceReady: false, heartbeatAtMillis: 0 });
});

test('a shard that was revoked is claimed without its old fence', () => {
  const revoked = revokeWriter(createShard({ owner: 'me', epoch: 5 }));
  expect(decideClaim(revoked, { id: 'next' }, 1, staleAfterMs)).toMatchObject({
    takeover: false,
    record: { writer: { epoch: 6, fenceReady: false, owner: 'next' } },
  });
});

test('who has taken it, and when, is there until it is handed back or taken away', () => {
  const before = createShard({ process: 'old:1', claimedAtMillis: 1 });
  const decision = decideClaim(before, { id: 'me', process: 'host:7' }, 50, staleAfterMs);
  if (decision.type !== 'claimed') throw new Error('it was free');
  expect(decision.record.writer).toMatchObject({ owner: 'me', process: 'host:7', claimedAtMillis: 50 });
  for (const after of [releaseWriter(decision.record), revokeWriter(decision.record)]) {
    expect(after.writer).not.toHaveProperty('process');
    expect(after.writer).not.toHaveProperty('claimedAtMillis');
  }
  const unknown = decideClaim(before, { id: 'next' }, 60, staleAfterMs);
  expect(unknown).toMatchObject({ record: { writer: { owner: 'next', claimedAtMillis: 60 } } });
  expect(unknown).not.toMatchObject({ record: { writer: { process: expect.anything() as unknown } } });
});
