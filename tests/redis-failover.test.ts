import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisGroup, type Server, startRedisCluster, startSentinels } from '@aosc/local-stack';
import { type Environment, type EnvironmentOptions, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { countRounds, heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { commandRedis, documentedUser } from './support/redis';
import { type Migration, runMigration, type Scenario } from './support/scenario';
import { certificateFile } from './support/secured-cluster';

jest.setTimeout(900_000);

const documents = 12_000;
const shape = {
  source: { shards: 2, routingShards: 8 },
  target: { shards: 4, routingShards: 8 },
  documents,
  options: heldConvergence,
} as const satisfies Partial<Scenario>;

const settings = { 'aosc.backfill.controller.batch.max_docs': '40' };
const prefix = 'aosc';

let environment: Environment | undefined;
let group: RedisGroup | undefined;
afterEach(async () => {
  await environment?.stop();
  await group?.stop();
  [environment, group] = [undefined, undefined];
});

test.each([
  { name: 'sentinels', key: prefix, start: () => startSentinels() },
  { name: 'cluster', key: `{${prefix}}`, start: () => startRedisCluster() },
])('$name: the primary of Redis dies in BACKFILLING, and its successor in CONVERGING', async (redis) => {
  const servers = await redis.start();
  group = servers;
  const { env } = servers;
  await migrate({ env }, `redis-${redis.name}`, async () => {
    const dead = await failOver(servers, redis.key);
    await dead.restart();
    await until('a replica that could take over', () => hasReplica(servers, redis.key));
    return () => failOver(servers, redis.key);
  });
});

test('a Redis over TLS, with the documented user, comes back empty in BACKFILLING and in CONVERGING', async () => {
  const certificate = readFileSync(certificateFile, 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'aosc-redis-key-'));
  const keyFile = join(folder, 'key.pem');
  // A process refuses a key that everybody may read, as the repository's own.
  copyFileSync(join(__dirname, 'certificates/localhost-key.pem'), keyFile);
  chmodSync(keyFile, 0o600);
  const redisTls = { cert: certificate, key: readFileSync(keyFile, 'utf8'), ca: certificate };
  const options: EnvironmentOptions = {
    redis: { redisTls, redisLines: [documentedUser()] },
    connect: ({ openSearchUrls, redisUrl }) =>
      Promise.resolve({ openSearchUrls, redisUrl: redisUrl.replace('://', '://aosc:password@') }),
    env: {
      AOSC_REDIS_CA: certificateFile,
      AOSC_REDIS_CLIENT_CERT: certificateFile,
      AOSC_REDIS_CLIENT_KEY: keyFile,
    },
  };
  try {
    await migrate(options, 'redis-rights', async ({ stack }) => {
      await stack.redis.restart();
      return () => stack.redis.restart();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Runs a migration with two blows, the first of which prepares the second. */
async function migrate(
  options: EnvironmentOptions,
  name: string,
  strike: (running: Environment) => Promise<() => Promise<unknown>>,
): Promise<void> {
  const running = await startEnvironment({ ...options, settings });
  environment = running;
  await running.keepingLogs(async () => {
    const result = await runMigration(running, { ...shape, name }, async (migration) => {
      await midBackfill(migration);
      const strikeAgain = await strike(running);
      await untilConverging(migration);
      const before = await countRounds(migration);
      await strikeAgain();
      await until('further rounds', async () => (await countRounds(migration)) > before + 5);
      await letConverge(migration);
    });
    expectClean(result);
  });
}

/** The first shard has copied a part, and is far from its end. */
async function midBackfill(migration: Migration): Promise<void> {
  const { shards } = await migration.waitFor(
    'a backfill in its middle',
    (status) => (status.shards['0']?.backfill?.documents_indexed ?? 0) > documents * 0.05,
  );
  expect(shards['0']?.phase).toBe('BACKFILLING');
}

/** @returns the server that was killed, when another one has taken over */
async function failOver(servers: RedisGroup, key: string): Promise<Server> {
  const primary = await servers.findPrimary(key);
  await primary.kill();
  await until('another primary', async () => {
    const now = await servers.findPrimary(key).catch(() => primary);
    return now !== primary;
  });
  return primary;
}

async function hasReplica(servers: RedisGroup, key: string): Promise<boolean> {
  const { url } = await servers.findPrimary(key);
  return /slave\d+:.*state=online/.test(await commandRedis(url, ['INFO', 'replication']));
}
