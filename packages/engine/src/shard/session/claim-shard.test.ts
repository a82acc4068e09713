import { createContext, RecordStore } from './__tests__/record-store';
import { ClusterError } from '../../ports/cluster-error';
import type { ShardContext } from '../context';
import { claimShard, type ClaimResult } from './claim-shard';

const never = new AbortController().signal;
const signals = { stop: never, kill: never, assertInTime: () => undefined };

function claim(context: ShardContext, owner: string): Promise<ClaimResult> {
  return claimShard(context, owner, signals, 'replay', { staleAfterMs: 5000, confirmMs: 0 });
}

/** A store that says of the first writes that they have met a conflict, whatever they have come to. */
function inConflict(context: ShardContext, times: number): ShardContext {
  const { store } = context;
  let writes = 0;
  const replaceShard: typeof store.replaceShard = async (...write) => {
    const written = await store.replaceShard(...write);
    if (++writes > times) return written;
    throw new ClusterError('conflict', 'the record is newer: by this very write, which the cluster repeated');
  };
  return { ...context, store: { ...store, replaceShard } };
}

test('a claim that meets itself, repeated inside the cluster, is a claim', async () => {
  const store = new RecordStore();
  const claimed = await claim(inConflict(createContext(store), 1), 'me');
  expect(claimed.type).toBe('claimed');
  expect(store.record.writer.owner).toBe('me');
});

test('a claim that is there, and of which no write is answered, is none', async () => {
  const store = new RecordStore();
  await expect(claim(inConflict(createContext(store), Infinity), 'me')).rejects.toMatchObject({
    kind: 'transient',
  });
});

test('a claim that a primary has shown and lost is none', async () => {
  const store = new RecordStore(['applied, no answer']);
  const before = store.record;
  let reads = 0;
  // The successor of the primary that has shown the claim: it never had it.
  store.afterRead = () => {
    if (++reads === 2) store.change(() => before);
  };
  expect((await claim(createContext(store), 'me')).type).toBe('busy');
  expect(store.record.writer.owner).toBeUndefined();
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
