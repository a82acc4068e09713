import type { ShardRecord } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { ClusterError } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import { confirmShards } from './confirm-shards';

/** Shards in CATCHING_UP or COMPLETING, and what others write between a read and a write. */
function createStore(count: number) {
  const stored = Array.from({ length: count }, (_, shard): Stored<ShardRecord> => ({
    record: { ...newShardRecord('key', shard, 0), phase: 'COMPLETING' },
    seqNo: shard,
    primaryTerm: 1,
  }));
  const intruders: (() => void)[] = [];
  let writes = 0;
  const change = (shard: number, parts: Partial<ShardRecord>): void => {
    const before = stored[shard];
    if (before === undefined) throw new Error(`no shard ${shard}`);
    stored[shard] = { ...before, record: { ...before.record, ...parts }, seqNo: before.seqNo + 100 };
  };
  const context: Parameters<typeof confirmShards>[0] = {
    signal: new AbortController().signal,
    store: {
      readShard: (_key: string, shard: number) => Promise.resolve(stored[shard]),
      replaceShard: (before: Stored<ShardRecord>, after: ShardRecord) => {
        intruders.shift()?.();
        if (stored[after.shard]?.seqNo !== before.seqNo) {
          return Promise.reject(new ClusterError('conflict', 'somebody was faster'));
        }
        writes += 1;
        change(after.shard, {});
        return Promise.resolve(stored[after.shard]);
      },
    } as unknown as Parameters<typeof confirmShards>[0]['store'],
  };
  return { stored, context, change, intruders, writes: () => writes };
}

const hasEnded = ({ phase }: ShardRecord): boolean => phase === 'COMPLETING';

test('each record is written once more as it is', async () => {
  const { stored, context, writes } = createStore(3);
  const confirmed = await confirmShards(context, [...stored], hasEnded);
  expect(writes()).toBe(3);
  // As they are now, so that whoever goes on from them does not meet a conflict with this very write.
  expect(confirmed).toEqual(stored);
});

test('one that was written meanwhile is read again, and still says the same', async () => {
  const { stored, context, change, intruders, writes } = createStore(2);
  intruders.push(() => change(0, { snapshotsLost: 1 }));
  const confirmed = await confirmShards(context, [...stored], hasEnded);
  expect(writes()).toBe(2);
  expect(confirmed?.map(({ record }) => record.snapshotsLost)).toEqual([1, 0]);
});

test('one that says something else by now is not confirmed', async () => {
  const { stored, context, change, intruders } = createStore(2);
  intruders.push(() => change(0, { phase: 'CATCHING_UP' }));
  expect(await confirmShards(context, [...stored], hasEnded)).toBeUndefined();
});

test('one that others write again and again is not confirmed', async () => {
  const { stored, context, change, intruders, writes } = createStore(1);
  for (let times = 0; times < 5; times++) intruders.push(() => change(0, {}));
  expect(await confirmShards(context, [...stored], hasEnded)).toBeUndefined();
  expect(writes()).toBe(0);
});

test('without an answer nothing is known', async () => {
  const { stored, context, intruders } = createStore(1);
  intruders.push(() => {
    throw new ClusterError('transient', 'no answer');
  });
  await expect(confirmShards(context, [...stored], hasEnded)).rejects.toThrow('no answer');
});
