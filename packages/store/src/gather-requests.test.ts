import { ClusterError, isClusterError } from '@aosc/engine';
import type { Attribution } from '@aosc/signals';
import type { DocumentIndex, DocumentReplacement, Position, StoredDocument } from './document-index';
import { gatherRequests } from './gather-requests';

// A wait for company must not run out because the machine is slow.
beforeEach(() =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] }),
);
afterEach(() => jest.useRealTimers());

const at = (seqNo: number): Position => ({ seqNo, primaryTerm: 1 });
const signal = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Sent<Q, A> {
  readonly questions: readonly Q[];
  readonly signal: AbortSignal;
  readonly answer: (answers: readonly A[]) => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

/** An index that answers when the test wants. */
function createSlowIndex(attribution?: Attribution) {
  const reads: Sent<string, StoredDocument | undefined>[] = [];
  const writes: Sent<DocumentReplacement, Position | ClusterError>[] = [];
  function hold<Q, A>(into: Sent<Q, A>[], questions: readonly Q[], own: AbortSignal): Promise<readonly A[]> {
    return new Promise((resolve, reject) => {
      into.push({
        questions,
        signal: own,
        answer: (answers) => (resolve(answers), turn()),
        fail: (error) => (reject(error), turn()),
      });
    });
  }
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const index: DocumentIndex = {
    ensure: unused,
    get: unused,
    getMany: (ids, call) => hold(reads, ids, call.signal),
    getPositions: unused,
    create: unused,
    createMany: unused,
    replace: async (id, before, body, refresh, call) => {
      if (refresh || id.startsWith('m-')) return at(1000);
      const [answer] = await hold(writes, [{ id, before, body }], call.signal);
      if (answer instanceof ClusterError || answer === undefined) throw answer ?? new Error('no answer');
      return answer;
    },
    replaceMany: (given, call) => hold(writes, given, call.signal),
    remove: unused,
    search: unused,
  };
  return { index: gatherRequests(index, 60_000, attribution), reads, writes };
}

const document = (seqNo: number): StoredDocument => ({ record: { seqNo }, ...at(seqNo) });

const idOf = (shard: number): string => `s-0123456789abcdef0123-${shard}`;

async function write(
  index: DocumentIndex,
  shard: number,
  own = new AbortController().signal,
): Promise<Position | ClusterError> {
  try {
    return await index.replace(idOf(shard), at(1), {}, false, { signal: own });
  } catch (error) {
    if (isClusterError(error)) return error;
    throw error;
  }
}

/** Four requests are under way, and the ones that follow wait for company. */
async function occupy(index: DocumentIndex): Promise<void> {
  for (const shard of [0, 1, 2, 3]) {
    void write(index, shard);
    await turn();
  }
}

test('asks at once while little is under way, and lets the others go together', async () => {
  const { index, writes } = createSlowIndex();
  await occupy(index);
  const later = [4, 5, 6].map((shard) => write(index, shard));
  await turn();
  expect(writes.map(({ questions }) => questions.map(({ id }) => id))).toEqual(
    [0, 1, 2, 3].map((shard) => [idOf(shard)]),
  );

  await writes[0]?.answer([at(7)]);
  expect(writes[4]?.questions.map(({ id, before }) => [id, before])).toEqual(
    [4, 5, 6].map((shard) => [idOf(shard), at(1)]),
  );
  await writes[4]?.answer([at(8), new ClusterError('conflict', 'changed'), at(9)]);
  expect(await Promise.all(later)).toEqual([
    at(8),
    expect.objectContaining({ kind: 'conflict', message: 'changed' }),
    at(9),
  ]);
});

test('a reader never gets what was read before it asked, and one record is asked for once', async () => {
  const { index, reads } = createSlowIndex();
  const first = index.get('a', { signal });
  await turn();
  const second = index.get('a', { signal });
  await turn();
  const third = [index.get('a', { signal }), index.get('b', { signal }), index.get('a', { signal })];
  await reads[0]?.answer([document(1)]);
  await reads[1]?.answer([document(2)]);
  expect(reads.map(({ questions }) => questions)).toEqual([['a'], ['a'], ['a', 'b']]);
  await reads[2]?.answer([document(3), undefined]);
  expect(await Promise.all([first, second, ...third])).toEqual([
    document(1),
    document(2),
    document(3),
    undefined,
    document(3),
  ]);
});

test('a request that fails fails all that went with it, and the next one goes', async () => {
  const { index, writes } = createSlowIndex();
  await occupy(index);
  const later = [write(index, 4), write(index, 5)];
  await writes[0]?.fail(new ClusterError('transient', 'cut off'));
  await writes[4]?.fail(new ClusterError('overload', 'too much'));
  expect(await Promise.all(later)).toEqual([
    expect.objectContaining({ kind: 'overload' }),
    expect.objectContaining({ kind: 'overload' }),
  ]);
  const next = write(index, 6);
  await turn();
  await writes[5]?.answer([at(5)]);
  expect(await next).toEqual(at(5));
});

test('records that are too large together go one by one', async () => {
  const { index, writes } = createSlowIndex();
  await occupy(index);
  const both = [write(index, 4), write(index, 5)];
  await writes[0]?.answer([at(1)]);
  await writes[4]?.fail(new ClusterError('too_large', 'the body is over the limit'));
  expect(writes.slice(5).map(({ questions }) => questions.map(({ id }) => id))).toEqual([
    [idOf(4)],
    [idOf(5)],
  ]);
  await writes[5]?.answer([at(8)]);
  await writes[6]?.fail(new ClusterError('too_large', 'alone as well'));
  expect(await Promise.all(both)).toEqual([at(8), expect.objectContaining({ message: 'alone as well' })]);
});

test('an answer about another number of records is no answer', async () => {
  const { index, writes } = createSlowIndex();
  const both = [write(index, 2), write(index, 3)];
  await turn();
  await writes[0]?.answer([at(1)]);
  for (const each of both) expect(await each).toMatchObject({ kind: 'transient' });
});

test('a caller that gives up leaves the request to the others; when all have, it ends', async () => {
  const { index, writes } = createSlowIndex();
  await occupy(index);
  const [one, other] = [new AbortController(), new AbortController()];
  const given = write(index, 4, one.signal);
  const kept = write(index, 5, other.signal);
  await writes[0]?.answer([at(2)]);
  one.abort();
  expect(await given).toMatchObject({ kind: 'aborted' });
  expect(writes[4]?.signal.aborted).toBe(false);
  other.abort();
  expect(await kept).toMatchObject({ kind: 'aborted' });
  expect(writes[4]?.signal.aborted).toBe(true);
});

test('a request whose caller gives up while it waits is not sent', async () => {
  const { index, writes } = createSlowIndex();
  await occupy(index);
  const giver = new AbortController();
  const given = write(index, 4, giver.signal);
  const kept = write(index, 5);
  giver.abort();
  expect(await given).toMatchObject({ kind: 'aborted' });
  expect(await write(index, 6, giver.signal)).toMatchObject({ kind: 'aborted' });
  await writes[1]?.answer([at(2)]);
  expect(writes[4]?.questions.map(({ id }) => id)).toEqual([idOf(5)]);
  await writes[4]?.answer([at(3)]);
  expect(await kept).toEqual(at(3));
});

test('requests that hang hold no other caller up for long, and so many records at most go together', async () => {
  const { index, writes } = createSlowIndex();
  await occupy(index);
  const many = Array.from({ length: 70 }, (_, n) => write(index, 10 + n));
  expect(writes).toHaveLength(4);
  await jest.advanceTimersByTimeAsync(100);
  expect(writes.slice(4).map(({ questions }) => questions.length)).toEqual([64, 6]);
  await writes[4]?.answer(Array.from({ length: 64 }, (_, n) => at(n)));
  await writes[5]?.answer(Array.from({ length: 6 }, (_, n) => at(64 + n)));
  expect(await Promise.all(many)).toEqual(Array.from({ length: 70 }, (_, n) => at(n)));
});

test('a write that has to be seen at once goes by itself, and so does that of a migration', async () => {
  const { index, writes } = createSlowIndex();
  expect(await index.replace(idOf(0), at(1), {}, true, { signal })).toEqual(at(1000));
  expect(await index.replace('m-0123456789abcdef0123', at(1), {}, false, { signal })).toEqual(at(1000));
  expect(writes).toEqual([]);
});

test('a request is the work of those who have asked for it, not of the one whose answer made room for it', async () => {
  let asker = '';
  const attributed: unknown[] = [];
  const { index, writes } = createSlowIndex({
    remember: () => asker,
    runFor: (askers, run) => {
      attributed.push(askers);
      return run();
    },
  });
  const writeAs = (name: string, shard: number): void => {
    asker = name;
    void write(index, shard);
  };
  for (const [shard, name] of ['a', 'b'].entries()) {
    writeAs(name, shard);
    await turn();
  }
  writeAs('c', 2);
  await writes[0]?.answer([at(1)]);
  writeAs('d', 3);
  writeAs('e', 4);
  await writes[1]?.answer([at(1)]);
  expect(attributed).toEqual([['a'], ['b'], ['c'], ['d', 'e']]);
});
