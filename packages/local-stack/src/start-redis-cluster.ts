import { findFreePorts } from './free-ports';
import { commandRedis } from './redis-command';
import { type RedisGroup, type RedisProgram, serverAt, startGroup } from './redis-group';
import { type Server } from './server';
import { launchRedis } from './start-redis';
import { waitUntil } from './wait-until';

const primaryCount = 3;
const nodeCount = 2 * primaryCount;
const slots = 16_384;
const togetherMs = 60_000;
/** The others hold a node for dead after this. */
const nodeTimeoutMs = 2000;

/** A Redis Cluster of three primaries with a replica each. */
export function startRedisCluster(program: RedisProgram = 'redis-server'): Promise<RedisGroup> {
  return startGroup(program, async (context) => {
    const ports = await findFreePorts(2 * nodeCount);
    const busPort = (n: number) => ports[nodeCount + n] ?? 0;
    const servers = await context.launch(
      ports.slice(0, nodeCount).map((port, n) =>
        launchRedis({
          ...context,
          name: `node-${n + 1}`,
          port,
          tls: undefined,
          lines: [
            'cluster-enabled yes',
            `cluster-port ${busPort(n)}`,
            `cluster-node-timeout ${nodeTimeoutMs}`,
            'cluster-config-file nodes.conf',
          ],
        }),
      ),
    );
    await bringTogether(servers, busPort);
    const redisCluster = servers.map(({ url }) => url);
    const [redisUrl = ''] = redisCluster;
    return {
      servers,
      access: { redisUrl, redisCluster },
      env: { AOSC_REDIS_URL: redisCluster.join(','), AOSC_REDIS_CLUSTER: 'yes' },
      findPrimary: (key) => findPrimary(servers, key),
    };
  });
}

async function bringTogether(servers: readonly Server[], busPort: (n: number) => number): Promise<void> {
  const [first] = servers;
  if (first === undefined) return;
  for (const [n, { url }] of servers.entries()) {
    await command(url, 'SET-CONFIG-EPOCH', String(n + 1));
    if (n < primaryCount) {
      const bound = (part: number) => Math.floor((slots * part) / primaryCount);
      await command(url, 'ADDSLOTSRANGE', String(bound(n)), String(bound(n + 1) - 1));
    }
    if (n > 0) await command(first.url, 'MEET', '127.0.0.1', new URL(url).port, String(busPort(n)));
  }
  await untilAll(
    servers,
    'nodes that know each other',
    ['CLUSTER', 'INFO'],
    `cluster_known_nodes:${nodeCount}\r`,
  );
  for (const [n, replica] of servers.slice(primaryCount).entries()) {
    const id = (await commandRedis(servers[n]?.url ?? '', ['CLUSTER', 'MYID'])).split('\r\n')[1] ?? '';
    await waitUntil(
      async () => (await commandRedis(replica.url, ['CLUSTER', 'REPLICATE', id])).startsWith('+OK'),
      { what: `${replica.name} to follow a primary`, timeoutMs: togetherMs, endedBy: [] },
    );
  }
  await untilAll(servers, 'a cluster that works', ['CLUSTER', 'INFO'], 'cluster_state:ok\r');
  const replicas = servers.slice(primaryCount);
  await untilAll(replicas, 'replicas that follow', ['INFO', 'replication'], 'master_link_status:up\r');
}

async function command(url: string, ...words: string[]): Promise<void> {
  const answer = await commandRedis(url, ['CLUSTER', ...words]);
  if (!answer.startsWith('+OK')) throw new Error(`CLUSTER ${words.join(' ')}: ${answer}`);
}

async function untilAll(
  servers: readonly Server[],
  what: string,
  words: readonly string[],
  wanted: string,
): Promise<void> {
  await waitUntil(
    async () => {
      const answers = await Promise.all(servers.map(({ url }) => commandRedis(url, words)));
      return answers.every((answer) => answer.includes(wanted));
    },
    { what, timeoutMs: togetherMs, endedBy: [] },
  );
}

/** Lines of CLUSTER NODES: `<id> <host>:<port>@<bus> <flags> <primary> … <slots>…`. */
async function findPrimary(servers: readonly Server[], key: string): Promise<Server> {
  const alive = servers.find((server) => server.isRunning());
  if (alive === undefined) throw new Error('no node of the cluster runs');
  const slot = Number(/^:(\d+)/.exec(await commandRedis(alive.url, ['CLUSTER', 'KEYSLOT', key]))?.[1]);
  const lines = (await commandRedis(alive.url, ['CLUSTER', 'NODES'])).split(/\r?\n/);
  const port = lines.flatMap((line) => {
    const [, address = '', flags = '', , , , , , ...ranges] = line.split(' ');
    const holds = ranges.some((range) => {
      const [from = NaN, to = from] = range.split('-').map(Number);
      return from <= slot && slot <= to;
    });
    return holds && !/fail/.test(flags) ? [/:(\d+)@/.exec(address)?.[1] ?? ''] : [];
  })[0];
  if (port === undefined) throw new Error(`no node of the cluster holds the slot of ${key}`);
  return serverAt(servers, port);
}
