import type { IndexRouting, PrimaryCheckpoint, PrimaryRouting } from '../ports/index-state-port';
import { readFromPrimaries, readUnconfirmed } from './primaries';

const call = { signal: new AbortController().signal };

const primary: PrimaryRouting = {
  shard: 0,
  nodeId: 'first',
  state: 'STARTED',
  allocationId: 'a',
  primaryTerm: 1,
  hasFailed: false,
  copies: 2,
  activeCopies: 2,
  isMoving: false,
};

const checkpoint: PrimaryCheckpoint = {
  shard: 0,
  nodeId: 'first',
  state: 'STARTED',
  copiesAnswered: 2,
  maxSeqNo: 7,
  globalCheckpoint: 7,
  historyUuid: 'h',
};

const routing = (...primaries: readonly PrimaryRouting[]): IndexRouting => ({
  clusterUuid: 'c',
  indexUuid: 'i',
  open: true,
  shape: { shardCount: 1, routingShardCount: 1024, partitionSize: 1 },
  aliases: [],
  isWriteBlocked: false,
  replication: 'documents',
  primaries,
});

/** What the cluster says before the read and after it. */
function read(
  before: IndexRouting,
  after: IndexRouting,
  told: readonly PrimaryCheckpoint[],
): Promise<string> {
  const answers = [before, after];
  const state = {
    readRouting: () => Promise.resolve(answers.shift() ?? after),
    readCheckpoints: () => Promise.resolve(told),
  };
  return readFromPrimaries({ index: 'books', state }, call, (primaryOf) =>
    Promise.resolve(primaryOf(0).nodeId),
  );
}

test('a primary that is one before and after is believed', async () => {
  await expect(read(routing(primary), routing(primary), [checkpoint])).resolves.toBe('first');
});

test('one that a term, an allocation or a node has replaced is not', async () => {
  for (const change of [{ primaryTerm: 2 }, { allocationId: 'b' }, { nodeId: 'second' }]) {
    const after = routing({ ...primary, ...change });
    await expect(read(routing(primary), after, [checkpoint])).rejects.toMatchObject({ kind: 'transient' });
  }
});

test('one whose successor calls itself primary is not: the shard is not in the statistics', async () => {
  await expect(read(routing(primary), routing(primary), [])).rejects.toMatchObject({ kind: 'transient' });
});

test('nor is one of whose copies one tells nothing: that one may be the successor', async () => {
  const alone = [{ ...checkpoint, copiesAnswered: 1 }];
  await expect(read(routing(primary), routing(primary), alone)).rejects.toMatchObject({ kind: 'transient' });
  const sole = routing({ ...primary, activeCopies: 1 });
  await expect(read(sole, sole, alone)).resolves.toBe('first');
});

test('an index that was made again is another one', async () => {
  const after = { ...routing(primary), indexUuid: 'j' };
  await expect(read(routing(primary), after, [checkpoint])).rejects.toMatchObject({ kind: 'transient' });
});

test('an answer can be used before it is confirmed, and the confirmation tells', async () => {
  const index = (after: PrimaryRouting) => ({
    index: 'books',
    state: {
      readRouting: () => Promise.resolve(routing(after)),
      readCheckpoints: () => Promise.resolve([checkpoint]),
    },
  });
  const known = Promise.resolve(routing(primary));
  const read = (after: PrimaryRouting) =>
    readUnconfirmed(index(after), call, (primaryOf) => Promise.resolve(primaryOf(0).nodeId), known);
  const right = await read(primary);
  expect(right.answer).toBe('first');
  await expect(right.confirmed).resolves.toBeUndefined();
  // The routing that the caller knew is what the answer was read by, however new the cluster's is.
  const wrong = await read({ ...primary, primaryTerm: 2 });
  expect(wrong.answer).toBe('first');
  await expect(wrong.confirmed).rejects.toMatchObject({ kind: 'transient' });
});
