import { type NodeOptions, startStack } from '@aosc/local-stack';
import { pinApart } from './pin';
import { type Build, type Service, startService } from '@aosc/stack';

const defaultHeapMb = 2048;
/** A migration of 200 shards on one node needs 400; a node allows 300 by default. */
const openSearchSettings = { 'search.max_open_pit_context': 1000 };

export interface RunOptions {
  readonly workerNodeArgs?: readonly string[];
  /** of the node, beside those of every benchmark */
  readonly nodeSettings?: NodeOptions['settings'];
  /** of each node; default 2048 */
  readonly heapMb?: number;
  /** default 1 */
  readonly nodes?: number;
  /** default 1 */
  readonly workers?: number;
  /** whose processes; undefined: this very build's */
  readonly build?: Build | undefined;
  /** the cluster has one half of the cores, and the service the other; default: they share all */
  readonly pinned?: boolean;
  /** puts something between the service and the node; default: nothing */
  readonly connect?: (url: string) => Promise<{ readonly url: string; stop(): Promise<void> }>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Measures on one OpenSearch node, one Redis, and one process of each kind, unless told otherwise, and stops them all.
 * @param measure its signal fires as well when a process of the service ends
 */
export async function runOnStack<T>(
  {
    workerNodeArgs = [],
    nodeSettings,
    heapMb = defaultHeapMb,
    nodes = 1,
    workers = 1,
    build,
    pinned = false,
    connect,
    say,
    signal,
  }: RunOptions,
  measure: (
    openSearchUrls: readonly string[],
    service: Service,
    alive: AbortSignal,
    redisUrl: string,
  ) => Promise<T>,
): Promise<T> {
  const stack = await startStack({
    nodes,
    heapMb,
    lifetime: 'long',
    openSearchSettings: { ...openSearchSettings, ...nodeSettings },
    log: say,
    signal,
  });
  try {
    const { openSearchUrls, redisUrl, logFolder: logDir } = stack;
    const between = await Promise.all(connect === undefined ? [] : openSearchUrls.map(connect));
    const service = await startService({
      openSearchUrls: between.length === 0 ? openSearchUrls : between.map(({ url }) => url),
      redisUrl,
      workers,
      workerNodeArgs,
      build,
      logDir,
      signal,
    });
    try {
      if (pinned) {
        const ours = [service.api, ...service.schedulers, ...service.workers].map(({ pid }) => pid);
        await pinApart(
          stack.nodes.map(({ pid }) => pid),
          [stack.redis.pid, ...ours],
        );
      }
      const gone = AbortSignal.any(
        [service.api, ...service.schedulers, ...service.workers].map((process) => process.gone),
      );
      return await measure(openSearchUrls, service, AbortSignal.any([signal, gone]), redisUrl).catch(
        (error: unknown) => {
          throw gone.aborted ? gone.reason : error;
        },
      );
    } finally {
      await service.stop();
      await Promise.all(between.map((one) => one.stop()));
    }
  } finally {
    await stack.stop();
  }
}
