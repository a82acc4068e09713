import { join } from 'node:path';
import { startChild } from './child';
import { findFreePorts } from './free-ports';
import { logTail } from './log-tail';
import { commandRedis } from './redis-command';
import { type GroupContext, type RedisGroup, type RedisProgram, serverAt, startGroup } from './redis-group';
import { writeOwned } from './run-as';
import { launchServer, type LaunchedServer } from './server';
import { answersPing, launchRedis } from './start-redis';
import { waitUntil } from './wait-until';

const primaryName = 'orders';
const sentinelCount = 3;
const togetherMs = 60_000;
/** A sentinel holds a primary for dead after this. */
const downAfterMs = 2000;

/** One primary, its replicas, and three sentinels of which two have to agree. */
export function startSentinels(
  options: { readonly replicas?: number; readonly program?: RedisProgram } = {},
): Promise<RedisGroup> {
  const { replicas = 2, program = 'redis-server' } = options;
  return startGroup(program, async (context) => {
    const ports = await findFreePorts(1 + replicas + sentinelCount);
    const [primaryPort = 0, ...others] = ports;
    const tls = undefined;
    const servers = await context.launch([
      launchRedis({ ...context, name: 'primary', port: primaryPort, tls }),
      ...others.slice(0, replicas).map((port, n) =>
        launchRedis({
          ...context,
          name: `replica-${n + 1}`,
          port,
          tls,
          lines: [`replicaof 127.0.0.1 ${primaryPort}`],
        }),
      ),
    ]);
    const sentinels = await context.launch(
      others
        .slice(replicas)
        .map((port, n) => launchSentinel(context, `sentinel-${n + 1}`, port, primaryPort)),
    );
    const redisSentinels = sentinels.map(({ url }) => url);
    const [first = ''] = redisSentinels;
    await waitUntil(() => isTogether(redisSentinels, replicas), {
      what: 'sentinels that know each other and the replicas',
      timeoutMs: togetherMs,
      endedBy: [],
    });
    const redisUrl = `redis://${primaryName}`;
    return {
      servers: [...servers, ...sentinels],
      access: { redisUrl, redisSentinels },
      env: { AOSC_REDIS_URL: redisUrl, AOSC_REDIS_SENTINELS: redisSentinels.join(',') },
      async findPrimary() {
        const answer = await commandRedis(first, ['SENTINEL', 'get-master-addr-by-name', primaryName]);
        return serverAt(servers, /\r\n(\d+)\r\n$/.exec(answer)?.[1] ?? answer);
      },
    };
  });
}

function launchSentinel(
  { command, folder, runAs }: GroupContext,
  name: string,
  port: number,
  primaryPort: number,
): Promise<LaunchedServer> {
  const home = folder.make(name);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${home}`,
    `sentinel monitor ${primaryName} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${primaryName} ${downAfterMs}`,
    `sentinel failover-timeout ${primaryName} ${downAfterMs * 3}`,
  ];
  const file = writeOwned(home, 'sentinel.conf', lines.map((line) => `${line}\n`).join(''), runAs);
  return launchServer({
    name,
    url: `redis://127.0.0.1:${port}`,
    launch: () =>
      startChild({
        name,
        command,
        args: [file, '--sentinel'],
        env: { PATH: process.env['PATH'], HOME: home },
        cwd: home,
        logFile: join(folder.logs, `${name}.log`),
        runAs,
      }),
    waitUntilReady: (endedBy, logFile) =>
      waitUntil((signal) => answersPing(port, undefined, signal), {
        what: `${name} on port ${port}`,
        timeoutMs: togetherMs,
        endedBy,
        details: () => logTail(logFile),
      }),
  });
}

async function isTogether(sentinels: readonly string[], replicas: number): Promise<boolean> {
  const answers = await Promise.all(
    sentinels.map(async (url) => [
      await commandRedis(url, ['SENTINEL', 'CKQUORUM', primaryName]),
      await commandRedis(url, ['SENTINEL', 'REPLICAS', primaryName]),
    ]),
  );
  return answers.every(
    ([quorum = '', known = '']) =>
      quorum.startsWith(`+OK ${sentinelCount} usable`) && known.startsWith(`*${replicas}\r\n`),
  );
}
