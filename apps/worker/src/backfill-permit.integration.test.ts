import { setTimeout as sleep } from 'node:timers/promises';
import { type Stack, startStack, waitUntil } from '@aosc/local-stack';
import { releaseWriter } from '@aosc/domain';
import {
  backfillQueue,
  createConsumer,
  createQueues,
  type HandlerResult,
  type JobSignals,
  parseShardJob,
  type Queues,
  shardJobName,
} from '@aosc/queue';
import { createRandom } from '@aosc/testkit';
import { Redis } from 'ioredis';
import { beat, type CopiedShards, createCopiedShards, finish, readFrom } from './__tests__/copied-shards';
import { createBackfillPermits } from './backfill-permit';

jest.setTimeout(120_000);

const nodes = ['a', 'b'] as const;
const replicas = 20;
const lockDurationMs = 2000;
const call = { signal: new AbortController().signal };
const done = { type: 'done' } satisfies HandlerResult;

let stack: Stack;
let redis: Redis;
beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
  redis = new Redis(stack.redisUrl);
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await stack.stop();
});

/** One process: a consumer for each node, which may die at any moment. */
interface Replica {
  die(): Promise<void>;
  stop(): Promise<void>;
}

/** Who copies from which node, and whether that was ever more than allowed. */
function createTruth(shards: CopiedShards) {
  const copying = new Map<string, Set<object>>(nodes.map((node) => [node, new Set()]));
  const asking = new Set<{ allowed: number }>();
  const excess: string[] = [];
  let max = 0;
  let granted = 0;
  let answered = 0;
  return {
    excess,
    get max() {
      return max;
    },
    /** questions that have an answer */
    get answered() {
      return answered;
    },
    get granted() {
      return granted;
    },
    setLimit(limit: number): Promise<void> {
      shards.limit = limit;
      for (const each of asking) each.allowed = Math.max(each.allowed, limit);
      return Promise.resolve();
    },
    /** A grant may rest on any limit that was in force while it was asked for. */
    async ask(node: string, question: () => Promise<boolean>): Promise<object | undefined> {
      const asked = { allowed: shards.limit };
      asking.add(asked);
      const isGranted = await question();
      asking.delete(asked);
      answered += 1;
      if (!isGranted) return undefined;
      const here = copying.get(node) ?? new Set();
      here.add(asked);
      granted += 1;
      max = Math.max(max, here.size);
      if (here.size > asked.allowed) excess.push(`${here.size} at ${node}, allowed: ${asked.allowed}`);
      return asked;
    },
    ended(node: string, one: object) {
      copying.get(node)?.delete(one);
    },
  };
}

type Truth = ReturnType<typeof createTruth>;

function startReplica(
  shards: CopiedShards,
  truth: Truth,
  queues: Queues,
  copyMs: () => number,
  prefix: string,
  lockMs = lockDurationMs,
): Replica {
  const life = new AbortController();
  const isDead = () => life.signal.aborted;
  const held = new Map<object, string>();
  const never = new Promise<never>(() => undefined);
  const permitOf = createBackfillPermits({
    indexOf: () => ({
      state: {
        readRouting: () =>
          Promise.resolve({
            primaries: Array.from({ length: shards.shardCount }, (_, shard) => ({
              shard,
              nodeId: shards.homeOf(shard),
            })),
          }),
      },
    }),
    store: {
      listRunning: () =>
        Promise.resolve(
          shards.migrations.map((key) => ({
            schemaVersion: 1,
            key,
            sourceIndex: key,
            sourceShardCount: shards.shardCount,
          })),
        ),
      pollShardsNamed: (wanted) => Promise.resolve(shards.recordsOf(wanted)),
      readSettings: () => Promise.resolve(settingsOf(shards.limit)),
    },
    queues,
    staleAfterMs: lockMs,
    now: Date.now,
    onQueueError: () => undefined,
    signal: new AbortController().signal,
  });

  const copy = async (
    node: string,
    payload: unknown,
    owner: string,
    { kill }: JobSignals,
  ): Promise<HandlerResult> => {
    const { key, shard } = parseShardJob(payload);
    if (!shards.claim(key, shard, owner)) return { type: 'again', delayMs: 200 };
    shards.update(key, shard, owner, readFrom(undefined));
    const releaseClaim = () => shards.update(key, shard, owner, releaseWriter);
    const permit = permitOf(node, shardJobName(key, shard));
    const one = await truth.ask(node, async () => !isDead() && (await permit.isGranted(call)) && !isDead());
    if (isDead()) return never;
    if (one === undefined) {
      releaseClaim();
      return { type: 'again', delayMs: 200 };
    }
    held.set(one, node);
    try {
      if (shards.homeOf(shard) !== node) {
        releaseClaim();
        return done;
      }
      shards.update(key, shard, owner, readFrom(node));
      const until = performance.now() + copyMs();
      while (performance.now() < until) {
        await sleep(20, undefined, { signal: kill });
        if (isDead()) return await never;
        if (!shards.update(key, shard, owner, beat)) throw new Error('taken over');
      }
      shards.update(key, shard, owner, finish);
      return done;
    } finally {
      held.delete(one);
      truth.ended(node, one);
    }
  };

  const consumers = nodes.map((node) =>
    createConsumer({
      redisUrl: stack.redisUrl,
      prefix,
      clusterUuid: 'cluster',
      queue: backfillQueue(node),
      concurrency: 4,
      lockDurationMs: lockMs,
      stalledCheckMs: 500,
      shortDelays: 'released',
      onError: () => undefined,
      handle: (payload, owner, signals) => copy(node, payload, owner, signals),
    }),
  );
  return {
    async die() {
      life.abort();
      for (const [one, node] of held) truth.ended(node, one);
      await Promise.all(consumers.map((consumer) => consumer.close(0)));
    },
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.close(2000)));
    },
  };
}

function settingsOf(limit: number) {
  return {
    record: {
      kind: 'settings' as const,
      schemaVersion: 1,
      persistent: { 'aosc.backfill.max_concurrent_per_node': String(limit) },
      transient: {},
    },
    seqNo: 0,
    primaryTerm: 1,
  };
}

test.each([1, 2])('20 workers never copy more than allowed, whatever happens (seed %i)', async (seed) => {
  const random = createRandom(seed);
  const prefix = `unrest${seed}`;
  const shards = createCopiedShards(['0'.repeat(20), '1'.repeat(20)], 60, nodes, lockDurationMs);
  const truth = createTruth(shards);
  const readPermits = () => Promise.resolve(shards.limit);
  const queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix,
    clusterUuid: 'cluster',
    role: 'patient',
    readPermits,
    onError: () => undefined,
  });
  const start = () => startReplica(shards, truth, queues, () => 50 + random.below(300), prefix);
  let running = Array.from({ length: replicas }, start);
  const died: Promise<void>[] = [];

  let isOver = false;
  const schedule = async (): Promise<void> => {
    while (!isOver) {
      for (const key of shards.migrations) await queues.ensureShardJobs('backfill', key, shards.idle(key));
      await queues.backfills.applyPermits();
      await sleep(100);
    }
  };
  const scheduling = schedule();

  const unrest: readonly [() => Promise<unknown>, ...(() => Promise<unknown>)[]] = [
    () => truth.setLimit(random.below(6)),
    async () => {
      await truth.setLimit(random.below(6));
      await queues.backfills.applyPermits();
    },
    () => truth.setLimit(random.below(6)),
    () => {
      const [dying, ...others] = running;
      if (dying !== undefined) died.push(dying.die());
      running = [...others, start()];
      return Promise.resolve();
    },
    () => redis.flushall(),
    () => shards.move(random.below(shards.shardCount), random.pick(nodes)),
  ];
  for (let event = 0; event < 60; event += 1) {
    await random.pick(unrest)();
    await sleep(random.below(200));
  }
  const during = truth.granted;
  await truth.setLimit(5);
  await waitUntil(() => Promise.resolve(shards.left === 0), {
    what: 'every shard to be copied: every permit comes back',
    timeoutMs: 60_000,
    endedBy: [],
  });
  isOver = true;
  await scheduling;
  await Promise.all([...died, ...running.map((replica) => replica.stop())]);
  for (const node of nodes) expect(await queues.backfills.listActive(node)).toEqual([]);
  await queues.close();
  expect(truth.excess).toEqual([]);
  expect(truth.max).toBeGreaterThan(1);
  expect(during).toBeGreaterThan(10);
});

test('a shard whose primary moves holds its permit where it is copied, although Redis has forgotten its job', async () => {
  const key = '2'.repeat(20);
  const lockMs = 40_000; // Nothing finds out in this time that its lock is gone.
  const shards = createCopiedShards([key], 4, nodes, lockMs);
  const truth = createTruth(shards);
  await truth.setLimit(1);
  const queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix: 'moved',
    clusterUuid: 'cluster',
    role: 'patient',
    readPermits: () => Promise.resolve(shards.limit),
    onError: () => undefined,
  });
  const replicas = [1, 2].map(() => startReplica(shards, truth, queues, () => 60_000, 'moved', lockMs));
  const answers = (count: number) =>
    waitUntil(() => Promise.resolve(truth.answered === count), {
      what: `${count} answers`,
      timeoutMs: 30_000,
      endedBy: [],
    });
  await queues.ensureShardJobs('backfill', key, [{ shard: 0, nodeId: 'a' }]);
  await answers(1);
  await redis.flushall();
  await shards.move(0, 'b');
  await queues.ensureShardJobs('backfill', key, [{ shard: 2, nodeId: 'a' }]);
  await answers(2);
  expect({ granted: truth.granted, excess: truth.excess }).toEqual({ granted: 1, excess: [] });
  await Promise.all(replicas.map((replica) => replica.die()));
  await queues.close();
});
