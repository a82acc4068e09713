import { setTimeout as sleep } from 'node:timers/promises';
import { answeredLate, createHttpClient, type Random } from '@aosc/testkit';
import type { Arena } from '../chaos/arena';

type Shake = (arena: Arena, random: Random) => Promise<void>;

const atOnce = 20;
const answerMs = 15_000;
const pauseMs = 500;
/** Below the four seconds after which the other nodes would remove a node: connections hang, and nothing moves. */
const longestFreezeMs = 3_000;

const freeze = async (
  { pause, resume }: { pause: () => unknown; resume: () => unknown },
  random: Random,
): Promise<void> => {
  await pause();
  await sleep(500 + random.below(longestFreezeMs - 500));
  await resume();
};

/** What servers, and what stands between, may go through without an end of any process of the service. */
const shakes: Readonly<Record<string, Shake>> = {
  proxy_restart: async ({ proxies }, random) => {
    const proxy = random.pick(asSome(proxies));
    await proxy.refuseConnections();
    await sleep(200 + random.below(1_500));
    await proxy.acceptConnections();
  },
  proxy_slow: async ({ proxies }, random) => {
    const proxy = random.pick(asSome(proxies));
    const remove = proxy.addRule(() => answeredLate(200 + random.below(2_000)));
    await sleep(3_000);
    remove();
  },
  node_freeze: async ({ environment }, random) => {
    const node = random.pick(asSome(environment.stack.nodes));
    await freeze({ pause: () => node.pause(), resume: () => node.resume() }, random);
  },
  node_restart: async ({ environment: { stack } }, random) => {
    const node = random.pick(asSome(stack.nodes));
    await node.kill();
    await node.restart();
  },
  redis_freeze: async ({ environment: { stack } }, random) => {
    await freeze({ pause: () => stack.redis.pause(), resume: () => stack.redis.resume() }, random);
  },
  redis_restart: ({ environment: { stack } }) => stack.redis.restart(),
  process_freeze: async ({ environment: { service } }, random) => {
    const process = random.pick(asSome([service.api, ...service.workers, ...service.schedulers]));
    await freeze({ pause: () => process.kill('SIGSTOP'), resume: () => process.kill('SIGCONT') }, random);
  },
};

/**
 * Restarts, freezes and slows what the service stands on, while many ask the API at once: a lasting installation goes
 * through hundreds of these. @returns their names in their order
 */
export async function shake(arena: Arena, random: Random, times: number): Promise<readonly string[]> {
  const over = new AbortController();
  const asking = Array.from({ length: atOnce }, () => askOn(arena.environment.apiUrl, over.signal));
  const done: string[] = [];
  try {
    for (let n = 0; n < times; n += 1) {
      const [name, strike] = random.pick(asSome(Object.entries(shakes)));
      await strike(arena, random);
      done.push(name);
    }
  } finally {
    over.abort();
    await Promise.all(asking);
  }
  return done;
}

/** Each answer costs the API a request to OpenSearch and one to Redis; whether it is a good one is for others to judge. */
async function askOn(apiUrl: string, signal: AbortSignal): Promise<void> {
  const http = createHttpClient([apiUrl]);
  while (!signal.aborted) {
    await http.send({ method: 'GET', path: '/readyz', timeoutMs: answerMs }).catch(() => undefined);
    await sleep(pauseMs);
  }
  http.close();
}

function asSome<T>(all: readonly T[]): readonly [T, ...T[]] {
  const [first, ...others] = all;
  if (first === undefined) throw new Error('there is none to pick from');
  return [first, ...others];
}
