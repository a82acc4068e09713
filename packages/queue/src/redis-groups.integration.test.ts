import { spawnSync } from 'node:child_process';
import {
  commandRedis,
  type RedisGroup,
  type Server,
  startRedisCluster,
  startSentinels,
  waitUntil,
} from '@aosc/local-stack';
import { isFit, useEverything } from './__tests__/every-use';
import { createCounter, createDoor } from './__tests__/signals';
import { createConnection } from './connection';
import { createConsumer, type ConsumerOptions } from './consumer';
import { parseShardJob } from './job-data';
import { markKey, replayQueue, rootPrefix } from './queue-names';
import { createQueues } from './queues';

jest.setTimeout(300_000);

const key = '0123456789abcdef0123';
const clusterUuid = 'cluster';

/** Debian 12 has no Valkey; where there is one, it is installed like Redis. */
const hasValkey =
  spawnSync('valkey-server', ['--version']).status === 0 ||
  (process.getuid?.() === 0 &&
    /Candidate: \d/.test(String(spawnSync('apt-cache', ['policy', 'valkey-server']).stdout)));

const groups = [
  { name: 'three sentinels', isHere: true, start: () => startSentinels() },
  { name: 'a Redis Cluster of six', isHere: true, start: () => startRedisCluster() },
  {
    name: 'Valkey behind three sentinels',
    isHere: hasValkey,
    start: () => startSentinels({ program: 'valkey-server' }),
  },
];

for (const { name, isHere, start } of groups)
  (isHere ? describe : describe.skip)(name, () => describeGroup(start));

function describeGroup(start: () => Promise<RedisGroup>): void {
  let group: RedisGroup;
  const open: { close(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    group = await start();
  });
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));
  afterAll(() => group.stop());

  const queuesFor = (prefix: string, uuid = clusterUuid) => {
    const queues = createQueues({
      ...group.access,
      prefix,
      clusterUuid: uuid,
      role: 'impatient',
      readPermits: () => Promise.resolve(2),
      onError: () => undefined,
    });
    open.push(queues);
    return queues;
  };
  const consume = (
    prefix: string,
    parts: Pick<ConsumerOptions, 'handle' | 'lockDurationMs'>,
    uuid = clusterUuid,
  ) => {
    const consumer = createConsumer({
      ...group.access,
      prefix,
      clusterUuid: uuid,
      queue: replayQueue,
      concurrency: 2,
      stalledCheckMs: 500,
      onError: () => undefined,
      ...parts,
    });
    open.push({ close: () => consumer.close(100) });
  };
  /** Kills the primary that holds the queues when a replica knows as much, and waits for another one. */
  const failOver = async (prefix: string): Promise<Server> => {
    const home = markKey(rootPrefix(group.access, prefix));
    const primary = await group.findPrimary(home);
    await untilReplicated(primary);
    await primary.kill();
    await until(
      'another primary',
      async () => (await group.findPrimary(home).catch(() => primary)) !== primary,
    );
    return primary;
  };

  test('everything works that works on one server', async () => {
    const errors: Error[] = [];
    await useEverything(group.access, 'every', (error) => errors.push(error));
    expect(errors).toEqual([]);
  });

  test('the primary is killed, and its successor: every one of many workers takes jobs again', async () => {
    const prefix = 'many';
    const crews = Array.from({ length: 12 }, (_, n) => {
      const runs = createCounter();
      const queues = queuesFor(prefix, `cluster-${n}`);
      consume(
        prefix,
        {
          lockDurationMs: 4000,
          handle() {
            runs.add();
            return Promise.resolve({ type: 'done' });
          },
        },
        `cluster-${n}`,
      );
      return { queues, runs };
    });
    const work = async (what: string): Promise<void> => {
      const goals = crews.map(({ runs }) => runs.count + 3);
      await until(what, async () => {
        const job = [{ shard: 0, nodeId: 'node' }];
        const adding = crews.map(({ queues }) => queues.ensureShardJobs('replay', key, job));
        await Promise.allSettled(adding);
        return crews.every(({ runs }, n) => runs.count >= (goals[n] ?? 0));
      });
    };
    await work('every worker at work');
    for (const time of ['first', 'second']) {
      const dead = await failOver(prefix);
      await work(`every worker at work after the ${time} failover`);
      await dead.restart();
      const home = markKey(rootPrefix(group.access, prefix));
      await until('a replica that can take over', async () => {
        const { url } = await group.findPrimary(home);
        return /slave\d+:.*state=online/.test(await commandRedis(url, ['INFO', 'replication']));
      });
    }
  });

  test('the primary is killed: jobs go on, and one in hand stays with its worker', async () => {
    const prefix = 'failover';
    const queues = queuesFor(prefix);
    await until('a fit Redis', () => isFit(queues));
    const shards = Array.from({ length: 12 }, (_, shard) => ({ shard, nodeId: 'node' }));
    const [held = { shard: 0, nodeId: 'node' }, ...others] = shards;
    await queues.ensureShardJobs('replay', key, [held]);
    const starts = createCounter();
    const killed = createCounter();
    const door = createDoor();
    const done = new Set<number>();
    for (let worker = 0; worker < 2; worker += 1)
      consume(prefix, {
        // Longer than any failover: it can be renewed afterwards.
        lockDurationMs: 60_000,
        async handle(payload, _owner, { kill }) {
          const { shard } = parseShardJob(payload);
          if (shard === held.shard) {
            starts.add();
            kill.addEventListener('abort', () => killed.add());
            await door.opened;
          }
          done.add(shard);
          return { type: 'done' };
        },
      });
    await starts.reaches(1);
    await failOver(prefix);
    // As the schedulers do: what is lost is queued again, until it is done.
    await until('the other jobs', async () => {
      const missing = others.filter(({ shard }) => !done.has(shard));
      await queues.ensureShardJobs('replay', key, missing).catch(() => undefined);
      return missing.length === 0;
    });
    expect(done.has(held.shard)).toBe(false);
    door.open();
    await until('the job in hand', () => Promise.resolve(done.has(held.shard)));
    expect([starts.count, killed.count]).toEqual([1, 0]);
    expect(await isFit(queues)).toBe(true);
  });
}

test('a cluster that is taken for one server, and one server that is taken for a cluster, say what to set', async () => {
  const cluster = await startRedisCluster();
  const sentinels = await startSentinels({ replicas: 1 });
  try {
    const home = await cluster.findPrimary('mistaken:cluster:workers');
    const queues = createQueues({
      redisUrl: home.url,
      prefix: 'mistaken',
      clusterUuid,
      role: 'impatient',
      readPermits: () => Promise.resolve(2),
      onError: () => undefined,
    });
    let told: string | undefined;
    await until('the reason', async () => {
      told = await queues.check().catch(() => undefined);
      return told !== undefined;
    });
    await queues.close();
    expect(told).toContain('AOSC_REDIS_CLUSTER=yes');

    const { url } = await sentinels.findPrimary('');
    const error = await new Promise<Error>((resolve) => {
      const connection = createConnection({ redisUrl: url, redisCluster: [url] }, 'patient', (first) => {
        connection.disconnect();
        resolve(first);
      });
    });
    expect(error.message).toContain('AOSC_REDIS_CLUSTER=no');
  } finally {
    await cluster.stop();
    await sentinels.stop();
  }
});

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await waitUntil(isSo, { what, timeoutMs: 90_000, endedBy: [] });
}

/** All replicas have what the server had written when this was called. */
async function untilReplicated({ url }: Server): Promise<void> {
  const read = () => commandRedis(url, ['INFO', 'replication']);
  const wanted = Number(/master_repl_offset:(\d+)/.exec(await read())?.[1]);
  await until('replicas with all writes', async () => {
    const offsets = [...(await read()).matchAll(/^slave\d+:.*offset=(\d+)/gm)].map(([, offset]) =>
      Number(offset),
    );
    return offsets.length > 0 && offsets.every((offset) => offset >= wanted);
  });
}
