import { createContext, RecordStore } from './__tests__/record-store';
import { ClusterError } from '../../ports/cluster-error';
import type { ShardContext } from '../context';
import { claimShard, type ClaimResult } from './claim-shard';

const never = new AbortController().signal;
const signals = { stop: never, kill: never, assertInTime: () => undefined };

function claim(context: ShardContext, owner: string): Promise<ClaimResult> {
  return claimShard(context, owner, signals, 'replay', { staleAfterMs: 5000, confirmMs: 0 });
}

/** A store that says of each write that it has met a conflict, whatever it has come to. */
function alwaysInConflict(context: ShardContext): ShardContext {
  const { store } = context;
  const replaceShard: typeof store.replaceShard = async (...write) => {
    await store.replaceShard(...write);
    throw new ClusterError('conflict', 'the record is newer: by this very write, which the cluster repeated');
  };
  return { ...context, store: { ...store, replaceShard } };
}

test('a claim that meets itself, repeated inside the cluster, is a claim', async () => {
  const store = new RecordStore();
  const claimed = await claim(alwaysInConflict(createContext(store)), 'me');
  expect(claimed.type).toBe('claimed');
  expect(store.record.writer.owner).toBe('me');
});

test('a claim whose answer is lost is recognised, and one that never arrived is not', async () => {
  const store = new RecordStore(['applied, no answer']);
  expect((await claim(createContext(store), 'me')).type).toBe('claimed');

  const other = new RecordStore(['never arrived']);
  await expect(claim(createContext(other), 'me')).rejects.toThrow('no answer');
  expect(other.record.writer.owner).toBeUndefined();
});

test("somebody else's claim is theirs", async () => {
  const store = new RecordStore();
  const context = createContext(store);
  let reads = 0;
  const raced: ShardContext = {
    ...context,
    store: {
      ...context.store,
      readShard: async (...what) => {
        const found = await context.store.readShard(...what);
        if (reads++ === 0) {
          store.change((record) => ({ ...record, writer: { ...record.writer, owner: 'they' } }));
        }
        return found;
      },
    },
  };
  expect((await claim(raced, 'me')).type).toBe('busy');
  expect(store.record.writer.owner).toBe('they');
});
