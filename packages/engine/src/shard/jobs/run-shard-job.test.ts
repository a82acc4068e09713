import { NewerVersionError, ShapeError } from '@aosc/contract';
import { ClusterError } from '../../ports/cluster-error';
import type { Permit } from '../../ports/permit-port';
import type { ShardContext, ShardPacing } from '../context';
import { createContext, RecordStore } from '../session/__tests__/record-store';
import type { WorkSignals } from '../session/owned-record';
import { runShardJob } from './run-shard-job';

const never = new AbortController().signal;
const signals = { stop: never, kill: never, assertInTime: () => undefined };

/** Sleeps until it is woken by the end of the job. */
function sleep(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('the job is over')));
  });
}

/** A backfill whose first look at a record throws. */
function runWith(store: RecordStore, error: Error) {
  return run(store, { isGranted: () => Promise.reject(error), sleep });
}

/** A backfill that gets no further than its permit. */
async function run(
  store: RecordStore,
  {
    isGranted,
    sleep: sleeping,
    given = signals,
  }: {
    readonly given?: WorkSignals;
    readonly isGranted: Permit['isGranted'];
    readonly sleep: ShardContext['clock']['sleep'];
  },
) {
  const told: string[] = [];
  const context = createContext(store);
  const pacing = {
    controller: { limits: () => ({ ticket: 0 }), observeRead: () => ({ action: 'go' }) },
  } as unknown as ShardPacing;
  const note = (event: string): void => void told.push(event);
  const failing: ShardContext = {
    ...context,
    clock: { ...context.clock, sleep: sleeping },
    timing: { ...context.timing, heartbeatMs: 300 },
    migration: { ...context.migration, targetPrepared: true, phase: 'ACTIVE' },
    permit: { nodeId: 'node', isGranted },
    pacing: { backfill: () => pacing, replay: () => pacing, catch_up: () => pacing },
    log: { debug: note, info: note, warn: note, error: note },
    metrics: {
      documentsCopied: () => undefined,
      flowing: () => undefined,
      operationsReplayed: () => undefined,
      ownerLost: () => undefined,
      bulkSent: () => undefined,
    },
  };
  const result = await runShardJob('backfill', failing, 'me', given, () => Promise.resolve());
  return { result, told };
}

test('a record of a later version fails no shard: it is handed back, and the job is tried again', async () => {
  const error = new NewerVersionError('migration record', 2, 1);
  const store = new RecordStore();
  const { phase } = store.record;
  const { result, told } = await runWith(store, error);
  expect(result).toEqual({ type: 'again', delayMs: 300 });
  expect(told).toEqual(['job_gives_up']);
  expect(store.record).toMatchObject({ phase, writer: { epoch: 1 } });
  expect(store.record.writer.owner).toBeUndefined();
  expect(store.record.error).toBeUndefined();
});

test('a job whose read is cut off because another has taken the shard has lost it', async () => {
  const store = new RecordStore();
  let take = (): void => undefined;
  const taken = new Promise<void>((resolve) => (take = resolve));
  let sleeps = 0;
  const { result, told } = await run(store, {
    isGranted: ({ signal }) => {
      store.change((record) => ({ ...record, writer: { ...record.writer, owner: 'they', epoch: 2 } }));
      take();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () =>
          reject(new ClusterError('aborted', 'the caller has given up')),
        );
      });
    },
    // The first beat comes when the shard is taken, and finds that out.
    sleep: (ms, signal) => (sleeps++ < 2 ? taken : sleep(ms, signal)),
  });
  expect(result).toEqual({ type: 'done', lost: true });
  expect(told).toContain('shard_lost');
  expect(store.record.writer).toMatchObject({ owner: 'they', epoch: 2 });
});

test('a job that fails when another has taken the shard has lost it, and fails nothing', async () => {
  const store = new RecordStore();
  const { result, told } = await run(store, {
    isGranted: () => {
      store.change((record) => ({ ...record, writer: { ...record.writer, owner: 'they', epoch: 2 } }));
      return Promise.reject(new Error('a surprise'));
    },
    sleep,
  });
  expect(result).toEqual({ type: 'done', lost: true });
  expect(told.slice(-2)).toEqual(['shard_failed', 'shard_lost']);
  expect(store.record).toMatchObject({ writer: { owner: 'they', epoch: 2 } });
  expect(store.record.error).toBeUndefined();
});

test.each([
  ['lost its lock ends', false],
  ['is shut down is queued again', true],
])('a job that %s while it claims its shard', async (_, isShutDown) => {
  const store = new RecordStore();
  const [kill, stop] = [new AbortController(), new AbortController()];
  store.afterRead = () => {
    if (isShutDown) stop.abort();
    kill.abort();
    throw new ClusterError('aborted', 'the caller has given up');
  };
  const given = { ...signals, kill: kill.signal, stop: stop.signal };
  const ended = run(store, { given, isGranted: () => Promise.resolve(true), sleep });
  if (isShutDown) await expect(ended).rejects.toThrow('the caller has given up');
  else expect((await ended).result).toEqual({ type: 'done' });
  expect(store.record.writer.owner).toBeUndefined();
});

test.each([new Error('a surprise'), new ShapeError('answer', [])])(
  'any other surprise fails the shard with its reason: %s',
  async (error) => {
    const store = new RecordStore();
    await expect(runWith(store, error)).rejects.toThrow(error.message);
    expect(store.record).toMatchObject({ phase: 'FAILING', error: error.message });
  },
);
