import type { ClusterView } from '../ports/cluster-port';
import type { IndexPorts } from '../ports/index-ports';
import { coalesceCall, coalesceIndexCalls } from './coalesced-calls';

function createCluster() {
  const begun: (() => void)[] = [];
  const flush = () => new Promise<void>((resolve) => begun.push(resolve));
  const index = { state: { flush } } as unknown as IndexPorts;
  return { begun, cluster: { index: () => index } };
}

const nextTurnBegins = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A call begins one turn of the event loop after those who ask. */
async function nextTurn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

const live = { signal: new AbortController().signal };

test('callers that ask at the same moment share one flush', async () => {
  const { begun, cluster } = createCluster();
  const shared = coalesceIndexCalls(cluster, live.signal, nextTurnBegins);
  const all = [0, 1, 2].map(() => shared('a').state.flush(live));
  await nextTurn();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await Promise.all(all);
});

test('callers that ask while a flush runs share the next one, never the running one', async () => {
  const { begun, cluster } = createCluster();
  const shared = coalesceIndexCalls(cluster, live.signal, nextTurnBegins);
  const first = shared('a').state.flush(live);
  await nextTurn();
  let later = 0;
  const second = shared('a')
    .state.flush(live)
    .then(() => later++);
  const third = shared('a')
    .state.flush(live)
    .then(() => later++);
  await nextTurn();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await first;
  expect(later).toBe(0);
  // What the answer makes one ask at once goes with those who wait.
  const fourth = shared('a').state.flush(live);
  await nextTurn();
  expect(begun).toHaveLength(2);
  begun[1]?.();
  await Promise.all([second, third, fourth]);
  expect(later).toBe(2);
});

test('one that fails is told to its own callers, and the next begins', async () => {
  let calls = 0;
  const flush = () => (calls++ === 0 ? Promise.reject(new Error('gone')) : Promise.resolve());
  const index = { state: { flush } } as unknown as IndexPorts;
  const shared = coalesceIndexCalls({ index: () => index }, live.signal, nextTurnBegins);
  const first = shared('a').state.flush(live);
  first.catch(() => undefined);
  await nextTurn();
  const second = shared('a').state.flush(live);
  await expect(first).rejects.toThrow('gone');
  await expect(second).resolves.toBeUndefined();
});

test('a caller that gives up leaves the shared call to the others', async () => {
  const { begun, cluster } = createCluster();
  const shared = coalesceIndexCalls(cluster, live.signal, nextTurnBegins);
  const mine = new AbortController();
  const given = shared('a').state.flush({ signal: mine.signal });
  mine.abort(new Error('shutdown'));
  await expect(given).rejects.toThrow('shutdown');
  const other = shared('a').state.flush(live);
  await nextTurn();
  begun[0]?.();
  await expect(other).resolves.toBeUndefined();
});

test('indices do not wait for each other', async () => {
  const { begun, cluster } = createCluster();
  const shared = coalesceIndexCalls(cluster, live.signal, nextTurnBegins);
  void shared('a').state.flush(live);
  void shared('b').state.flush(live);
  await nextTurn();
  expect(begun).toHaveLength(2);
});

test('the view of an index is shared by its shards, and that of others is not', async () => {
  const asked: (string | undefined)[] = [];
  const answers: (() => void)[] = [];
  const cluster = {
    readView: (index: string | undefined) => {
      asked.push(index);
      return new Promise<ClusterView>((resolve) => {
        answers.push(() => resolve({ members: [`${asked.length}`], aliases: [] }));
      });
    },
  };
  const shared = coalesceIndexCalls(
    { index: (index) => ({ index, cluster }) as unknown as IndexPorts },
    live.signal,
    nextTurnBegins,
  );
  const views = [0, 1, 2].map(() => shared('a').cluster.readView('a', live));
  void shared('a').cluster.readView(undefined, live);
  void shared('b').cluster.readView('b', live);
  await nextTurn();
  // The one that is nobody's in common leaves at once.
  expect(asked).toEqual([undefined, 'a', 'b']);
  answers[1]?.();
  expect(await Promise.all(views)).toEqual([3, 3, 3].map((at) => ({ members: [`${at}`], aliases: [] })));
});

test('who asks while a shared read runs gets what is read after that', async () => {
  const answers: (() => void)[] = [];
  const read = coalesceCall(
    () => new Promise<number>((resolve) => answers.push(() => resolve(answers.length))),
    live.signal,
    nextTurnBegins,
  );
  const first = [read(live), read(live)];
  await nextTurn();
  const second = [read(live), read(live)];
  answers[0]?.();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await nextTurn();
  answers[1]?.();
  expect(await Promise.all(second)).toEqual([2, 2]);
});
