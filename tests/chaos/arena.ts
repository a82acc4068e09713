import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@aosc/local-stack';
import { systemIndex } from '@aosc/store';
import {
  callRaw,
  createHttpClient,
  ConnectionError,
  type HttpFaultProxy,
  type HttpRequest,
  startHttpFaultProxy,
  UnexpectedAnswer,
} from '@aosc/testkit';
import { type Environment, startEnvironment } from '../support/environment';
import { type Ground, groundOptions, prepareGround } from '../support/ground';
import { commandRedis } from '../support/redis';
import { createServiceClock, type ServiceClock } from './clock';

/** The cutover is given up after this. */
export const writeBlockMaxMs = 20_000;
export const lockDurationMs = 3_000;
/** The service looks so long after an end for what landed late. */
export const guardMs = 20_000;

/** Three nodes of which each may become cluster manager, what else the ground has, Redis, and the service behind proxies: for many runs. */
export interface Arena {
  readonly ground: Ground;
  readonly environment: Environment;
  /** between the service and each node */
  readonly proxies: readonly HttpFaultProxy[];
  /** undefined where libfaketime is not installed */
  readonly clock: ServiceClock | undefined;
  /** whether the writers, and {@link ask}, leave a node out now */
  readonly isAway: (url: string) => boolean;
  /** @returns ends it */
  leaveOut(url: string): () => void;
  /**
   * A node that is still a member answers nothing: what the others have sent it lies there, and may be carried out once
   * more when it goes on. @returns ends it
   */
  beginStall(): () => void;
  /** whether a write that was on its way then may have met a stall (epoch ms) */
  readonly mayRepeat: (sentAtMillis: number, acknowledgedAtMillis: number) => boolean;
  /** Asks again while the cluster can't be reached, or is in no state to answer. */
  ask(method: HttpRequest['method'], path: string, body?: object): Promise<unknown>;
  redis(...words: readonly string[]): Promise<void>;
  node(name: string | undefined): Server;
  /** Brings every server back, with its own settings. */
  restoreServers(): Promise<void>;
  /** Brings every server and process back and takes away what the last run has changed. @throws when that fails */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

const env = {
  AOSC_LOCK_DURATION_MS: String(lockDurationMs),
  AOSC_STALLED_CHECK_MS: '1000',
  AOSC_WRITE_BLOCK_MAX_MS: String(writeBlockMaxMs),
  AOSC_REQUEST_TIMEOUT_MS: '15000',
  AOSC_GUARD_MS: String(guardMs),
};
const settings = {
  'aosc.backfill.controller.batch.max_docs': '40',
  'aosc.liveness.check_interval': '5s',
  'aosc.liveness.timeout': '10s',
  // A busy machine predicts long pauses, and such a cutover would wait. The bound of the block is what a run is judged by.
  'aosc.cutover.max_pause': `${writeBlockMaxMs / 1000}s`,
};
/** A node that is paused is removed after four seconds, not half a minute; a busy machine is not taken for one. */
const nodeSettings = {
  // No process knows the point in time of an opening whose answer is cut: it expires after half a minute, and a node looks once a minute.
  'search.keep_alive_interval': '5s',
  'cluster.fault_detection.follower_check.timeout': '4s',
  'cluster.fault_detection.follower_check.interval': '500ms',
  'cluster.fault_detection.follower_check.retry_count': 1,
  'cluster.fault_detection.leader_check.timeout': '4s',
  'cluster.fault_detection.leader_check.interval': '500ms',
  'cluster.fault_detection.leader_check.retry_count': 1,
  // The first cluster state of a new manager waits so long for the old one, if that is paused.
  'cluster.publish.timeout': '5s',
};
/** For `_cluster/health`: every copy is there and stays where it is. */
export const atRest =
  'wait_for_status=green&wait_for_no_relocating_shards=true&wait_for_no_initializing_shards=true&timeout=60s';
const workers = 2;
const patienceMs = 300_000;
const dataNodes = [1, 2, 3].map((n) => ({ name: `node-${n}`, heapMb: 400 }));
const pollMs = 200;

/** What an operator may have changed, or a fault of ours. */
const clusterSettings = [
  'cluster.routing.allocation.disk.threshold_enabled',
  'cluster.routing.allocation.disk.watermark.low',
  'cluster.routing.allocation.disk.watermark.high',
  'cluster.routing.allocation.disk.watermark.flood_stage',
  // OpenSearch sets it by itself when all nodes are above the high watermark, and takes it away after the other blocks.
  'cluster.blocks.create_index',
];
/** OpenSearch looks at its disks as often as it lets one ask for. */
const lookAtDisks = { 'cluster.info.update.interval': '10s' };

export async function startArena(ground: Ground = 'plain'): Promise<Arena> {
  const proxies: HttpFaultProxy[] = [];
  const clock = createServiceClock();
  const { nodes, remoteStore, openSearchSettings } = groundOptions(ground, dataNodes);
  const environment = await startEnvironment({
    nodes,
    ...(remoteStore !== undefined && { remoteStore }),
    workers,
    env: { ...env, ...clock?.env },
    settings,
    openSearchSettings: { ...nodeSettings, ...openSearchSettings },
    async connect({ openSearchUrls, redisUrl }) {
      for (const url of openSearchUrls) proxies.push(await startHttpFaultProxy(url));
      return { openSearchUrls: proxies.map(({ url }) => url), redisUrl };
    },
  });
  const { stack, service } = environment;
  const away = new Set<string>();
  const stalls: { from: number; to: number }[] = [];
  const isAway = (url: string): boolean => away.has(url);
  const http = createHttpClient(environment.urls, isAway);

  const ask = async (method: HttpRequest['method'], path: string, body?: object): Promise<unknown> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        const bytes = await callRaw(http, {
          method,
          path,
          timeoutMs: patienceMs,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer: unknown = bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'));
        return answer;
      } catch (error) {
        if (!isPassing(error) || performance.now() > deadline) throw error;
        await sleep(pollMs);
      }
    }
  };
  const redis = async (...words: readonly string[]): Promise<void> => {
    const answer = await commandRedis(stack.redisUrl, words);
    if (!answer.startsWith('+OK')) throw new Error(`${words.join(' ')}: ${answer}`);
  };

  const restoreServers = async (): Promise<void> => {
    if (!stack.redis.isRunning()) await stack.redis.restart();
    await redis('CONFIG', 'SET', 'maxmemory', '0');
    await redis('REPLICAOF', 'NO', 'ONE');
    for (const node of stack.nodes) if (node.isRunning()) node.resume();
    await Promise.all(stack.nodes.filter((node) => !node.isRunning()).map((node) => node.restart()));
    await ask('DELETE', '/_cluster/voting_config_exclusions?wait_for_removal=false');
    const reset = Object.fromEntries(clusterSettings.map((name) => [name, null]));
    await ask('PUT', '/_cluster/settings', { persistent: { ...reset, ...lookAtDisks }, transient: reset });
  };
  await ask('PUT', '/_cluster/settings', { persistent: lookAtDisks });
  const restoreProcesses = async (): Promise<void> => {
    clock?.jumpTo(0);
    for (const each of [...service.workers, ...service.schedulers, service.api]) await each.kill('SIGCONT');
    await Promise.all(proxies.map((proxy) => proxy.acceptConnections()));
    if (!service.api.isRunning()) await service.startApi();
    await environment.restore(workers);
    await environment.putSettings(settings);
  };

  await prepareGround(http, ground, dataNodes.length);

  return {
    ground,
    environment,
    proxies,
    clock,
    isAway,
    beginStall() {
      const stall = { from: Date.now(), to: Infinity };
      stalls.push(stall);
      return () => void (stall.to = Math.min(stall.to, Date.now()));
    },
    mayRepeat: (sentAt, acknowledgedAt) =>
      stalls.some(({ from, to }) => sentAt <= to && acknowledgedAt >= from),
    leaveOut(url) {
      away.add(url);
      return () => void away.delete(url);
    },
    ask,
    redis,
    node(name) {
      const node = stack.nodes.find((each) => each.name === name);
      if (node === undefined) throw new Error(`there is no node ${name ?? '?'}`);
      return node;
    },
    restoreServers,
    async restore() {
      stalls.length = 0;
      await restoreServers();
      await callRaw(http, { method: 'DELETE', path: '/chaos-*?expand_wildcards=all' });
      await ask('POST', `/${systemIndex}/_open`).catch(ignoreMissing);
      await ask('GET', `/_cluster/health?wait_for_nodes=${stack.nodes.length}&${atRest}`);
      await restoreProcesses();
    },
    async stop() {
      http.close();
      await environment.stop();
      clock?.remove();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}

/** @returns where the logs are kept */
export async function keepLogs({ environment: { stack } }: Arena): Promise<string> {
  const kept = await stack.withKeptLogs(new Error(stack.logFolder));
  return kept instanceof Error ? kept.message : stack.logFolder;
}

/** A node that is away, a cluster without a manager, a queue that is full. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof UnexpectedAnswer && [408, 429, 500, 502, 503, 504].includes(error.answer.status);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof UnexpectedAnswer && error.answer.status === 404)) throw error;
}
