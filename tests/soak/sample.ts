import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '@aosc/local-stack';
import {
  callRaw,
  createHttpClient,
  parsePointsInTime,
  type ProcessSample,
  type SoakSample,
} from '@aosc/testkit';
import type { Arena } from '../chaos/arena';
import { socketsOf } from '../support/process-sockets';
import { commandRedis } from '../support/redis';

export interface Sampled {
  readonly sample: SoakSample;
  /** names of the keys in Redis */
  readonly keys: readonly string[];
}

/** What the service holds. For when it is at rest, all its processes awake and its servers there. */
export async function takeSample(arena: Arena): Promise<Sampled> {
  const { service, stack } = arena.environment;
  const running = [service.api, ...service.schedulers, ...service.workers].filter((each) => each.isRunning());
  const processes: Record<string, ProcessSample> = {};
  for (const process of running) processes[process.name] = await sampleProcess(process);
  const { pits } = parsePointsInTime(await arena.ask('GET', '/_search/point_in_time/_all'));
  const keys = await readKeys(stack.redisUrl);
  const redisClients = await countRedisClients(stack.redisUrl);
  return { sample: { processes, redisKeys: keys.length, redisClients, snapshots: pits.length }, keys };
}

/** By the process's own `/metrics`. @throws for a figure that is not there: descriptors are counted on Linux only */
async function sampleProcess({ name, pid, readyUrl, logFile }: ServiceProcess): Promise<ProcessSample> {
  if (readyUrl === undefined) throw new Error(`${name} has no address`);
  const http = createHttpClient([new URL(readyUrl).origin]);
  try {
    const text = (await callRaw(http, { method: 'GET', path: '/metrics' })).toString();
    const figure = (metric: string): number => {
      const value = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\d\\S*)$`, 'm').exec(text)?.[1];
      if (value === undefined) throw new Error(`${name} does not tell its ${metric}`);
      return Number(value);
    };
    const sum = (metric: string, label = ''): number => {
      // A process of an older build has none, which is not the same as 0.
      if (!text.includes(`# TYPE ${metric} `)) throw new Error(`${name} does not tell its ${metric}`);
      const lines = text.matchAll(new RegExp(`^${metric}\\{${label}[^}]*\\} (\\d\\S*)$`, 'gm'));
      return [...lines].reduce((total, [, value]) => total + Number(value), 0);
    };
    return {
      pid,
      residentBytes: figure('process_resident_memory_bytes'),
      heapUsedBytes: figure('nodejs_heap_size_used_bytes'),
      descriptors: figure('process_open_fds'),
      sockets: (await socketsOf(pid)).length,
      timers: sum('nodejs_active_resources', 'type="(?:Timeout|Immediate)"'),
      handles: sum('nodejs_active_resources'),
      connections: sum('aosc_opensearch_connections'),
      listenerWarnings: (await readFile(logFile, 'utf8')).split('MaxListenersExceededWarning').length - 1,
    };
  } finally {
    http.close();
  }
}

async function countRedisClients(url: string): Promise<number> {
  const count = /^connected_clients:(\d+)\r$/m.exec(await commandRedis(url, ['INFO', 'clients']))?.[1];
  if (count === undefined) throw new Error('Redis does not tell its clients');
  return Number(count);
}

/** @throws when they don't come in one piece: by far too many */
async function readKeys(url: string): Promise<readonly string[]> {
  const [head = '', ...lines] = (await commandRedis(url, ['KEYS', '*'])).split('\r\n');
  const names = lines.filter((line, n) => n % 2 === 1);
  const count = /^\*(\d+)$/.exec(head)?.[1];
  if (count === undefined || Number(count) !== names.length) {
    throw new Error(`Redis told ${names.length} of ${head} keys`);
  }
  return names.sort();
}
