import type { BaseAdapter } from '@bull-board/api/baseAdapter';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Queue } from 'bullmq';
import type { Connection } from './connection';
import { describeJob, describeQueue, type MigrationLabel } from './describe-job';
import { advanceQueue, backfillQueue, catchUpQueue, replayQueue, verifyQueue } from './queue-names';

/** More data nodes than a cluster has; each queue costs a board some commands for every look. */
const maxNodes = 1000;

interface Shown {
  readonly queue: Queue;
  readonly adapter: BaseAdapter;
}

/** The queues of an installation as Bull Board shows them. A look writes nothing. */
export function createBoardQueues(connection: Connection, prefix: string, onError: (error: Error) => void) {
  const shown = new Map<string, Shown>();
  let labelsByKey: ReadonlyMap<string, MigrationLabel> = new Map();

  const show = (name: string): Shown => {
    const queue = new Queue(name, { connection, prefix, skipVersionCheck: true, skipMetasUpdate: true });
    queue.on('error', onError);
    const adapter = new BullMQAdapter(queue, { readOnlyMode: true, description: describeQueue(name) });
    const describe = (payload: unknown) => describeJob(name, payload, (key) => labelsByKey.get(key));
    adapter.setFormatter('name', (job: { readonly data: unknown }) => describe(job.data).name);
    adapter.setFormatter('data', (payload: unknown) => describe(payload).data);
    return { queue, adapter };
  };

  return {
    /**
     * Shows the queues of these data nodes from now on, beside the permanent ones. Closes the queues of other nodes,
     * without changing their content.
     * @param labels of the running migrations, by key
     */
    async follow(nodes: readonly string[], labels: ReadonlyMap<string, MigrationLabel>): Promise<void> {
      labelsByKey = labels;
      const backfills = [...nodes].sort().slice(0, maxNodes).map(backfillQueue);
      const names = new Set([advanceQueue, replayQueue, catchUpQueue, verifyQueue, ...backfills]);
      for (const name of names) if (!shown.has(name)) shown.set(name, show(name));
      for (const [name, { queue }] of shown) {
        if (names.has(name)) continue;
        shown.delete(name);
        await queue.close();
      }
    },
    /** Sorted by name; they show, and refuse every change. */
    list: (): readonly BaseAdapter[] =>
      [...shown].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { adapter }]) => adapter),
    async close(): Promise<void> {
      await Promise.all([...shown.values()].map(({ queue }) => queue.close()));
    },
  };
}
export type BoardQueues = ReturnType<typeof createBoardQueues>;
