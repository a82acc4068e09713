import { ClusterError } from '../../ports/cluster-error';
import type { BulkOutcome } from '../../ports/write-port';
import { Activity, watchActivity } from './activity';
import type { ShardContext } from '../context';

const call = { signal: new AbortController().signal };
const bulkCall = { ...call, opaqueId: 'x' };
const unanswered: BulkOutcome = { type: 'unknown', reason: 'time-out' };
const refused: BulkOutcome = { type: 'refused', kind: 'overload', status: 429, reason: 'full' };

/** A context whose every request ends as the test says. */
function createWatched(ends: () => Promise<unknown>) {
  const activity = new Activity(5);
  const index = {
    state: { refresh: ends, getDocuments: ends },
    snapshots: { measure: ends },
    aliases: { list: ends },
    writes: { bulk: ends },
    tasks: { listBulks: ends },
  };
  let wake: () => void = () => undefined;
  const clock = { sleep: () => new Promise<void>((resolve) => (wake = resolve)) };
  const parts: unknown = { source: index, target: index, clock };
  const { source, target, clock: watched } = watchActivity(parts as ShardContext, activity);
  return { activity, source, target, sleep: () => watched.sleep(1, call.signal), wake: () => wake() };
}

test('answers of the source and of the target count; fences and waits for older bulks are no work', async () => {
  const { activity, source, target } = createWatched(() => Promise.resolve([]));
  await source.state.refresh(call);
  await target.state.getDocuments([], call);
  expect(activity.read()).toBe(7);
  await target.aliases.list('*', call);
  await target.state.refresh(call);
  await target.tasks.listBulks(() => true, call);
  expect(activity.read()).toBe(7);
});

test.each<[string, () => Promise<unknown>, number]>([
  ['a bulk that was refused', () => Promise.resolve(refused), 1],
  ['a bulk without an answer', () => Promise.resolve(unanswered), 0],
])('%s', async (_, ends, counted) => {
  const { activity, target } = createWatched(ends);
  await target.writes.bulk('fence', [], bulkCall);
  expect(activity.read()).toBe(5 + counted);
});

test.each<[string, Error, number]>([
  ['429', new ClusterError('overload', 'full', { status: 429 }), 1],
  ['503', new ClusterError('transient', 'no shard', { status: 503 }), 1],
  ['a lost snapshot', new ClusterError('snapshot_lost', 'gone', { status: 404 }), 1],
  ['a time-out', new ClusterError('transient', 'no answer'), 0],
  ['what the caller has given up', new ClusterError('aborted', 'over'), 0],
])('a request that ends with %s', async (_, error, counted) => {
  const { activity, source } = createWatched(() => Promise.reject(error));
  await expect(source.state.refresh(call)).rejects.toBe(error);
  expect(activity.read()).toBe(5 + counted);
});

test('a pause that an answer has asked for counts at every beat, until it is over', async () => {
  const { activity, target, sleep, wake } = createWatched(() => Promise.resolve(refused));
  await target.writes.bulk('fence', [], bulkCall);
  const pause = sleep();
  expect([activity.read(), activity.read()]).toEqual([7, 8]);
  wake();
  await pause;
  expect(activity.read()).toBe(8);
});

test('a pause between requests that nobody answers does not', async () => {
  const { activity, target, sleep, wake } = createWatched(() => Promise.resolve(unanswered));
  await target.writes.bulk('fence', [], bulkCall);
  const pause = sleep();
  expect([activity.read(), activity.read()]).toEqual([5, 5]);
  wake();
  await pause;
});
