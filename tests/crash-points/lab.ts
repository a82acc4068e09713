import type { ServiceProcess } from '@aosc/local-stack';
import {
  type Fault,
  type HttpCall,
  type HttpFaultProxy,
  type HttpReply,
  type RedisCall,
  type RedisFaultProxy,
  type RedisReply,
  startHttpFaultProxy,
  startRedisFaultProxy,
} from '@aosc/testkit';
import { type Environment, startEnvironment } from '../support/environment';
import { nameHttpCalls, readRecordWrites, type RecordWrite, wereWritten } from './name-http-call';
import { nameRedisCall } from './name-redis-call';
import type { ChangingCall, Place, Victim } from './place';
import { createRecordMemory, type RecordMemory } from './record-memory';

/** A process, and the proxies that are all it knows of its servers. */
interface LabProcess {
  readonly kind: Victim;
  readonly process: ServiceProcess;
  /** Cuts what is left of its connections. */
  close(): Promise<void>;
}

/** A call of the newest migration that changes something, right before it is passed on. */
export interface CallEvent {
  readonly place: Place;
  readonly kind: Victim;
  readonly call: ChangingCall;
  /** number of the process among those of the lab */
  readonly number: number;
  readonly migrationPhase: string;
}

export interface Interference {
  readonly before?: () => Promise<'forward' | 'drop'>;
  /** @param isDone whether the server says that it has done what was asked for */
  readonly after?: (isDone: boolean) => Promise<'deliver' | 'cut'>;
}

export type CallListener = (event: CallEvent) => Interference | undefined;

/** One cluster, one Redis, an API, one scheduler and one worker, with a proxy in each of their connections. */
export interface Lab {
  readonly environment: Environment;
  /** The process with that number, or the newest of its kind. */
  process(which: Victim | number): LabProcess;
  /** Starts another one in place of a killed process. @returns its number */
  start(kind: Victim): Promise<number>;
  /** Receives every changing call of every process; the first listener that interferes decides. @returns ends it */
  listen(listener: CallListener): () => void;
  stop(): Promise<void>;
}

/** Of the processes that die: a death is noticed, and what it leaves behind is gone, within seconds. */
const timers = {
  AOSC_LOCK_DURATION_MS: '3000',
  AOSC_STALLED_CHECK_MS: '1000',
  AOSC_REQUEST_TIMEOUT_MS: '5000',
  AOSC_SNAPSHOT_KEEP_ALIVE_MS: '10000',
  AOSC_GUARD_MS: '12000',
} as const;

export async function startLab(): Promise<Lab> {
  const memory = createRecordMemory();
  const listeners = new Set<CallListener>();
  const processes: LabProcess[] = [];
  const closing: (() => Promise<void>)[] = [];
  const ask: CallListener = (event) => {
    for (const listener of listeners) {
      const interference = listener(event);
      if (interference !== undefined) return interference;
    }
    return undefined;
  };
  const environment = await startEnvironment({
    workers: 0,
    schedulers: 0,
    // A snapshot that no record names goes when its time is over, and this is how often OpenSearch looks.
    openSearchSettings: { 'search.keep_alive_interval': '1s' },
    connect: async ({ openSearchUrls: [url = ''], redisUrl }) => {
      const api = await startHttpFaultProxy(url);
      closing.push(() => api.stop());
      remember(api, memory);
      return { openSearchUrls: [api.url], redisUrl };
    },
  });

  const start = async (kind: Victim): Promise<number> => {
    const { stack, service } = environment;
    const number = processes.length;
    const http = await startHttpFaultProxy(stack.openSearchUrls[0] ?? '');
    const redis = await startRedisFaultProxy(stack.redisUrl);
    const close = async (): Promise<void> => {
      await Promise.all([http.stop(), redis.stop()]);
    };
    closing.push(close);
    remember(http, memory);
    intercept({ http, redis, memory, kind, number, ask });
    // No rest: each look finds a need for a round, however few documents there are, and deaths within rounds are reached.
    const rests = { AOSC_REPLAY_INTERVAL_MS: '300', AOSC_CONVERGED_REST_MS: '300' };
    const env = { ...timers, ...rests, AOSC_OPENSEARCH_URL: http.url, AOSC_REDIS_URL: redis.url };
    // Its place is taken before it is ready: a replacement works as soon as it can.
    const process = await (kind === 'worker' ? service.startWorker(env) : service.startScheduler(env));
    processes.push({ kind, process, close });
    return processes.length - 1;
  };

  const lab: Lab = {
    environment,
    process: (which) => {
      const found =
        typeof which === 'number' ? processes[which] : processes.findLast(({ kind }) => kind === which);
      if (found === undefined) throw new Error(`the lab has no ${which}`);
      return found;
    },
    start,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: async () => {
      await environment.stop();
      for (const close of closing) await close();
    },
  };
  try {
    await start('scheduler');
    await start('worker');
    return lab;
  } catch (error) {
    await lab.stop();
    throw error;
  }
}

function remember(proxy: HttpFaultProxy, memory: RecordMemory): void {
  proxy.watch(({ call, reply }) => {
    const writes = readRecordWrites(call);
    const written = wereWritten(writes, reply);
    writes.forEach(({ method, id, body }, at) => {
      if (written[at]) memory.note(method, id, body);
    });
  });
}

interface Interception {
  readonly http: HttpFaultProxy;
  readonly redis: RedisFaultProxy;
  readonly memory: RecordMemory;
  readonly kind: Victim;
  readonly number: number;
  readonly ask: CallListener;
}

function intercept({ http, redis, memory, kind, number, ask }: Interception): void {
  const eventOf = (call: ChangingCall | undefined): CallEvent | undefined => {
    const key = memory.newestKey();
    if (call === undefined || key === undefined) return undefined;
    const migrationPhase = memory.migrationPhase(key);
    if (migrationPhase === undefined || (call.key !== undefined && call.key !== key)) return undefined;
    const shardPhase = call.shard === undefined ? undefined : memory.shardPhase(key, call.shard);
    const phase = call.isPeriodic === true ? 'any' : (shardPhase ?? migrationPhase);
    return { place: `${kind}/${phase}/${call.what}`, kind, call, number, migrationPhase };
  };
  http.addRule((call: HttpCall) => {
    const writes = readRecordWrites(call);
    for (const [at, named] of nameHttpCalls(call, memory).entries()) {
      const event = eventOf(named);
      const interference = event === undefined ? undefined : ask(event);
      if (interference) return faultOf(interference, (reply: HttpReply) => wasDone(writes, at, reply));
    }
    return undefined;
  });
  redis.addRule((call: RedisCall) => {
    const event = eventOf(nameRedisCall(call));
    if (event === undefined) return undefined;
    const isDone = ({ bytes }: RedisReply): boolean => isDoneInRedis(call, bytes);
    if (call.name !== 'BZPOPMIN') {
      const interference = ask(event);
      return interference && faultOf(interference, isDone);
    }
    // It changes something only when it finds something, which its answer shows.
    return {
      after: (reply) =>
        (isDone(reply) ? ask(event)?.after?.(true) : undefined) ?? Promise.resolve('deliver' as const),
    };
  });
}

/** What the lab is to do with a call, for the proxy of either protocol. */
function faultOf<Reply>(
  { before, after }: Interference,
  isDone: (reply: Reply) => boolean,
): Fault<Reply, never> {
  return {
    ...(before && { before }),
    ...(after && { after: (reply) => after(isDone(reply)) }),
  };
}

function wasDone(writes: readonly RecordWrite[], at: number, reply: HttpReply): boolean {
  if (writes.length > 0) return wereWritten(writes, reply)[at] === true;
  return reply.status >= 200 && reply.status < 300;
}

/** An error has done nothing, nor has a transaction whose keys have changed, or a wait in vain. */
function isDoneInRedis({ name }: RedisCall, reply: Buffer): boolean {
  const head = reply.toString('latin1', 0, 3);
  if (/^[-!]/.test(head)) return false;
  return !(name === 'BZPOPMIN' || name === 'EXEC') || !/^(_|\*-1|\$-1)/.test(head);
}
