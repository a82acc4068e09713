import { PassThrough } from 'node:stream';
import type { ShardJobKind } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { type Stack, startStack } from '@aosc/local-stack';
import { type ConsumerOptions, createQueues, type HandlerResult, type Queues } from '@aosc/queue';
import { createLogger } from '@aosc/telemetry';
import { startFleet } from './consumers';

jest.setTimeout(30_000);

const key = '0123456789abcdef0123';
const place = { shard: 0, nodeId: 'n' };
const logger = createLogger({ app: 'worker', level: 'error', stream: new PassThrough().resume() });
const done = { type: 'done' } satisfies HandlerResult;
const { signal } = new AbortController();

let stack: Stack;
let queues: Queues;
let prefix = '';
let tests = 0;
beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
}, 60_000);
afterAll(() => stack.stop());
beforeEach(() => {
  prefix = `fleet${(tests += 1)}`;
  const readPermits = () => Promise.resolve(1);
  queues = createQueues({ ...redis(), role: 'patient', readPermits });
});
afterEach(() => queues.close());

const redis = () => ({
  redisUrl: stack.redisUrl,
  prefix,
  clusterUuid: 'cluster',
  onError: () => undefined,
});

type Handle = ConsumerOptions['handle'];

function start(
  dataNodes: () => Promise<readonly string[]>,
  handlerOf: (kind: ShardJobKind) => Handle,
  onNodeGone: (nodeId: string) => void = () => undefined,
) {
  const options = {
    shared: redis(),
    // Longer than a test: no job comes back because its lock has run out.
    lockDurationMs: 60_000,
    stalledCheckMs: 60_000,
    concurrency: { backfill: 1, replay: 1, catchUp: 1 },
    handleVerify: () => Promise.resolve(done),
    handlerOf,
    onNodeGone,
  };
  return startFleet(options, { ports: { dataNodes } }, logger, signal);
}

/** What a test waits for: that something happened, or a list of nodes. */
function createGate() {
  let open: (nodes: readonly string[]) => void = () => undefined;
  const opened = new Promise<readonly string[]>((resolve) => (open = resolve));
  return { opened, open: (nodes: readonly string[] = []) => open(nodes) };
}

test('a data node that does not answer keeps a worker from no other queue, and its own jobs wait for the answer', async () => {
  let answers = false;
  const replayed = createGate();
  const copied = createGate();
  const fleet = start(
    () =>
      answers
        ? Promise.resolve(['n'])
        : Promise.reject(new ClusterError('transient', '_nodes: not every node has answered')),
    (kind) => () => {
      (kind === 'replay' ? replayed : copied).open();
      return Promise.resolve(done);
    },
  );
  await queues.ensureShardJobs('backfill', key, [place]);
  await queues.ensureShardJobs('replay', key, [place]);
  await replayed.opened;
  answers = true;
  await copied.opened;
  await fleet.close(100);
});

test('nodes that are listed while a worker ends are followed no more', async () => {
  const asked = createGate();
  const listed = createGate();
  const kinds: string[] = [];
  const fleet = start(
    () => {
      asked.open();
      return listed.opened;
    },
    (kind) => {
      kinds.push(kind);
      return () => Promise.resolve(done);
    },
  );
  await asked.opened;
  await fleet.close(100);
  listed.open(['n']);
  await new Promise(setImmediate);
  expect(kinds).toEqual(['replay', 'catch_up']);
});

test('a worker that ends gives the jobs of a node that has left no more time than the others', async () => {
  let nodes = ['n'];
  const started = createGate();
  const left = createGate();
  const gone = createGate();
  let killed = false;
  const fleet = start(
    () => Promise.resolve(nodes),
    () =>
      (_payload, _owner, { stop, kill }) => {
        started.open();
        stop.addEventListener('abort', () => left.open());
        return new Promise((_, reject) => {
          kill.addEventListener('abort', () => {
            killed = true;
            reject(new Error('killed'));
          });
        });
      },
    (node) => gone.open([node]),
  );
  await queues.ensureShardJobs('backfill', key, [place]);
  await started.opened;
  nodes = [];
  await left.opened;
  await fleet.close(100);
  expect(killed).toBe(true);
  expect(await gone.opened).toEqual(['n']);
});
