import { createQueues } from '@aosc/queue';
import type { Environment } from './environment';

/** Longer than any test takes to come under the write block. */
const seemsThereMs = 300_000;

/**
 * Pauses every worker, and lets the schedulers go on as if a worker took jobs, because they block no source without
 * one.
 * @param toTheBlock brings a migration under its write block
 * @returns lets the workers go on
 */
export async function pauseWorkers(
  { stack, workers }: Pick<Environment, 'stack' | 'workers'>,
  clusterUuid: string,
  toTheBlock: () => Promise<void>,
): Promise<() => Promise<void>> {
  const queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix: 'aosc',
    clusterUuid,
    role: 'patient',
    readPermits: () => Promise.resolve(1),
    onError: () => undefined,
  });
  const name = 'of-a-test';
  const paused = workers();
  try {
    await queues.workers.announce(name, seemsThereMs);
    await Promise.all(paused.map((worker) => worker.kill('SIGSTOP')));
    await toTheBlock();
    await queues.workers.withdraw(name);
  } finally {
    await queues.close();
  }
  return async () => {
    await Promise.all(paused.map((worker) => worker.kill('SIGCONT')));
  };
}
