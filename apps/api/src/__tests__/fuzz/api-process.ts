import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { findFreePorts, type ServiceProcess, type Stack, startServiceProcess } from '@aosc/local-stack';

/** The API as it is run in production: a built process of its own, so that a crash is one. */
export interface ApiProcess {
  readonly url: string;
  readonly prefix: string;
  readonly process: ServiceProcess;
}

/** What the process keeps of requests would soon not fit. */
const heapMb = 160;

/** @param env further variables */
export async function startApiProcess(
  stack: Stack,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ApiProcess> {
  const [port = 0] = await findFreePorts(1);
  const prefix = `fuzz-${randomUUID()}`;
  const url = `http://127.0.0.1:${port}`;
  const process = await startServiceProcess({
    name,
    entry: resolve(__dirname, '../../../dist/main.js'),
    nodeArgs: [`--max-old-space-size=${heapMb}`],
    env: {
      AOSC_OPENSEARCH_URL: stack.openSearchUrls.join(','),
      AOSC_REDIS_URL: stack.redisUrl,
      AOSC_QUEUE_PREFIX: prefix,
      AOSC_API_PORT: String(port),
      // Sends faster than any user.
      AOSC_API_RATE_PER_SECOND: '0',
      AOSC_LOG_LEVEL: 'debug',
      ...env,
    },
    logDir: stack.logFolder,
    readyUrl: `${url}/readyz`,
  });
  return { url, prefix, process };
}
