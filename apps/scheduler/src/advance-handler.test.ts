// Goes to apps/scheduler/src/ (unit).
import { ClusterError } from '@aosc/engine';
import { type AdvanceDependencies, createAdvanceHandler } from './advance-handler';
import { blockedFor } from './__tests__/scheduler-under-test';

/**
 * The scheduler reads the shards ahead, which saves a round trip. When OpenSearch refuses that read, the scheduler looks again
 * soon. If the job left the queue with an error instead, only the reconcile tick would come back to the block.
 */
test('shards that can not be read ahead under the write block: the look is taken again soon', async () => {
  const record = blockedFor(1000, 'books');
  const stored = { record, seqNo: 1, primaryTerm: 1 };
  const later: number[] = [];
  const quiet = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    debug: () => undefined,
  };
  const logger = { ...quiet, child: () => quiet };
  const dependencies = {
    cluster: {
      ports: {},
      clusterUuid: 'c',
      store: {
        readMigration: () => Promise.resolve(stored),
        confirmMigration: () => Promise.resolve(stored),
        readShards: () => Promise.reject(new ClusterError('transient', 'a primary has just moved')),
      },
    },
    queues: {},
    logger,
    traces: { work: (_what: unknown, _record: unknown, run: () => unknown) => run() },
    remembered: { find: () => record, note: () => undefined },
    wakeLater: (_key: string, delayMs: number) => later.push(delayMs),
  } as unknown as AdvanceDependencies;
  const never = new AbortController().signal;
  const signals = { stop: never, kill: never, assertInTime: () => undefined };
  const handle = createAdvanceHandler(dependencies);
  await expect(handle({ v: 1, key: record.key }, 'owner', signals)).resolves.toEqual({ type: 'done' });
  expect(later).toEqual([1000]);
});
