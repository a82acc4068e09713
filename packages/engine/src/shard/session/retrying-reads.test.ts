import { resolveSettings } from '@aosc/contract';
import { createController, createPageSizer } from '@aosc/domain';
import type { Clock } from '../../ports/clock';
import { ClusterError } from '../../ports/cluster-error';
import type { Page } from '../../ports/snapshot-port';
import { readFittingPage } from '../read/fitting-page';
import { Pauses } from './pauses';
import { retryingReads } from './retrying-reads';

const overloaded = (): ClusterError => new ClusterError('overload', 'search queue full');
const away = (): ClusterError => new ClusterError('transient', 'ECONNREFUSED', { awaits: 'cluster' });

/** Time passes by sleeping alone. */
function createJob(settings: Readonly<Record<string, string>> = {}) {
  let time = 0;
  const slept: number[] = [];
  const ended = new AbortController();
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    random: () => 0,
    sleep: (ms, signal) => {
      signal.throwIfAborted();
      slept.push(ms);
      time += ms;
      return Promise.resolve();
    },
  };
  const ignore = (): void => undefined;
  let current = settings;
  const controller = createController(
    () => resolveSettings(current, undefined).backfill,
    () => 0,
  );
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return {
    slept,
    end: (reason: Error) => ended.abort(reason),
    change: (changed: Readonly<Record<string, string>>) => (current = changed),
    session: {
      context: { log, migration: { key: 'key' }, shard: 0 },
      epoch: 1,
      assertOwned: ignore,
      pacing: { controller },
      pauses: new Pauses(clock),
      fail: (error: Error) => ended.abort(error),
      signal: ended.signal,
    },
  };
}

/** Fails as often as there are errors, then answers. */
function failing(errors: readonly Error[]): () => Promise<string> {
  const left = [...errors];
  return () => {
    const error = left.shift();
    return error === undefined ? Promise.resolve('answer') : Promise.reject(error);
  };
}

test('the pauses are those of the settings, read for each', async () => {
  const { session, slept, change } = createJob({ 'aosc.backfill.controller.overload.base_pause': '1000' });
  expect(await retryingReads(session, failing([overloaded(), overloaded()]))).toBe('answer');
  expect(slept).toEqual([1000, 2000]);
  change({ 'aosc.backfill.controller.overload.max_pause': '1500' });
  await retryingReads(session, failing([overloaded()]));
  expect(slept.slice(2)).toEqual([1500]);
  expect(session.pauses.refused('read')).toBe(3);
  expect(session.pauses.figures()).toMatchObject({ lastOverload: { work: 'read' } });
});

test('what is refused to one read holds back the others', async () => {
  const { session, slept } = createJob();
  session.pauses.begin('read', 700, 'refused to another one');
  session.pauses.begin('bulk', 9000, 'bulks wait by themselves');
  expect(await retryingReads(session, failing([]))).toBe('answer');
  expect(slept).toEqual([700]);
});

test('after so many failures in a row the shard fails, with the last cause', async () => {
  const { session } = createJob({ 'aosc.overload.max_consecutive_failures': '3' });
  await retryingReads(session, failing([overloaded(), overloaded()]));
  const last = new ClusterError('transient', 'no answer within 60000 ms');
  await expect(retryingReads(session, failing([overloaded(), overloaded(), last]))).rejects.toMatchObject({
    name: 'ShardFailedError',
    message:
      'Overload backoff exhausted after 3 consecutive failures, the last one: no answer within 60000 ms',
    cause: last,
  });
  // and the job's other work, which may be in a pause, ends with it
  expect(session.signal.aborted).toBe(true);
});

test('a cluster that is away is waited for, and nothing is asked for in smaller parts', async () => {
  const { session } = createJob({ 'aosc.overload.max_consecutive_failures': '2' });
  let refusals = 0;
  const outage = Array.from({ length: 20 }, away);
  expect(await retryingReads(session, failing(outage), () => (refusals += 1))).toBe('answer');
  expect(refusals).toBe(0);
});

test('other errors go to the caller at once, and so does the reason of an end', async () => {
  const { session, slept, end } = createJob();
  const lost = new ClusterError('snapshot_lost', 'gone');
  await expect(retryingReads(session, failing([lost]))).rejects.toBe(lost);
  const stopped = new Error('shutdown');
  const read = (): Promise<never> => {
    end(stopped);
    return Promise.reject(overloaded());
  };
  await expect(retryingReads(session, read)).rejects.toBe(stopped);
  expect(slept).toEqual([]);
});

describe('a page', () => {
  const page = (count: number): Page<number> => ({
    documents: Array.from({ length: count }, (_, at) => at),
    bytes: 100 * count,
    next: 'more',
  });

  test('that is refused is asked for by halves: after a pause for overload, at once when it is too large', async () => {
    const { session, slept } = createJob({ 'aosc.backfill.controller.overload.base_pause': '1000' });
    const errors = [overloaded(), new ClusterError('too_large', '413'), overloaded()];
    const asked: number[] = [];
    const sizes = { pages: createPageSizer({ firstPage: 64 }), limit: () => 100 };
    const read = (size: number): Promise<Page<number>> => {
      asked.push(size);
      const error = errors.shift();
      return error === undefined ? Promise.resolve(page(size)) : Promise.reject(error);
    };
    const { page: got, isLast } = await readFittingPage(session, sizes, read);
    expect(asked).toEqual([64, 32, 16, 8]);
    expect({ documents: got.documents.length, isLast }).toEqual({ documents: 8, isLast: false });
    expect(slept).toEqual([1000, 2000]);
  });

  test('of a single document that is too large is the end', async () => {
    const { session } = createJob();
    const sizes = { pages: createPageSizer({ firstPage: 2 }), limit: () => 100 };
    const tooLarge = new ClusterError('too_large', '413');
    await expect(readFittingPage(session, sizes, () => Promise.reject(tooLarge))).rejects.toBe(tooLarge);
  });
});
