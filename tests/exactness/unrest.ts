import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BulkOutcome,
  ClusterError,
  type IndexStatePort,
  type SnapshotPort,
  type WritePort,
} from '@aosc/engine';
import { createRandom, type Random } from '@aosc/testkit';
import type { Cluster } from '../races/support/cluster';
import { copyItem, type Faults } from '../races/support/faults';
import type { Application } from './application';
import type { Plan } from './plan';

/** What others did to the migration. */
export interface UnrestTally {
  /** documents and deletes that the target refused for their version, for the service to resolve */
  conflicts: number;
  snapshotsClosed: number;
  unknownBulks: number;
  /** of these: bulks that came when no caller waited for them any more */
  lateBulks: number;
  failedReads: number;
  maintenance: number;
}

/** What goes on around the service's calls: the application, maintenance of the index, losses. */
export interface Unrest {
  readonly tally: UnrestTally;
  /** Ports of one job. @param onCall runs before each of its calls */
  faults(onCall: () => void): Faults;
  /** Refresh, flush or merge of the source. */
  maintain(): Promise<void>;
  /** From here on the application writes no more between calls. */
  stopWriting(): void;
  /** Resolves when what was sent late has arrived. */
  settled(): Promise<void>;
}

const failedReads = 0.004;
const latestMs = 400;
const burst = 6;
/** After each the service waits until nothing of it runs any more: with hundreds of them a run takes minutes. */
const mostUnknownBulks = 40;

export function createUnrest(
  cluster: Cluster,
  source: string,
  plan: Plan,
  application: Application,
  signal: AbortSignal,
): Unrest {
  const random = createRandom(plan.seed + 2);
  const tally: UnrestTally = {
    conflicts: 0,
    snapshotsClosed: 0,
    unknownBulks: 0,
    lateBulks: 0,
    failedReads: 0,
    maintenance: 0,
  };
  const snapshots = new Set<string>();
  const late: Promise<void>[] = [];
  /** Bounded, or the shards would never have converged all at once. */
  let writesLeft = plan.liveOperations;
  const chance = (probability: number): boolean => random.next() < probability;

  const maintain = async (): Promise<void> => {
    tally.maintenance += 1;
    await cluster.http.send({ method: 'POST', path: `/${source}/${drawMaintenance(random)}` });
  };

  const closeSnapshot = async (): Promise<void> => {
    const [pitId] = [...snapshots].slice(random.below(snapshots.size));
    if (pitId === undefined || tally.snapshotsClosed >= plan.snapshotsToClose) return;
    tally.snapshotsClosed += 1;
    snapshots.delete(pitId);
    await cluster.http.send({
      method: 'DELETE',
      path: '/_search/point_in_time',
      body: JSON.stringify({ pit_id: [pitId] }),
    });
  };

  /** Something happens, or nothing. */
  const strike = async (): Promise<void> => {
    if (!chance(plan.unrest)) return;
    const kind = random.next();
    if (kind < 0.5 && writesLeft > 0) {
      const operations = 1 + random.below(burst);
      writesLeft -= operations;
      await application.writeBetween(operations, signal);
    } else if (kind < 0.75) await maintain();
    else if (kind < 0.9) await closeSnapshot();
    else await sleep(random.below(20));
  };

  const sendBulk = async (
    real: WritePort,
    ...[fence, items, call]: Parameters<WritePort['bulk']>
  ): Promise<BulkOutcome> => {
    if (!chance(plan.unknownBulks) || tally.unknownBulks >= mostUnknownBulks)
      return real.bulk(fence, items, call);
    tally.unknownBulks += 1;
    const unknown: BulkOutcome = { type: 'unknown', reason: 'the connection was cut' };
    const fate = random.next();
    // the answer is lost; the request is lost; the request comes late, when no caller waits for it any more
    if (fate < 0.4) await real.bulk(fence, items, call);
    else if (fate > 0.7) {
      const copy = items.map(copyItem);
      const itself = { ...call, signal: new AbortController().signal };
      const arrival = sleep(random.below(latestMs))
        .then(() => real.bulk(fence, copy, itself))
        .then((outcome) => {
          if (outcome.type !== 'unknown') tally.lateBulks += 1;
        });
      arrival.catch(() => undefined); // settled() reports it
      late.push(arrival);
    }
    return unknown;
  };

  return {
    tally,
    maintain,
    stopWriting: () => (writesLeft = 0),
    faults(onCall) {
      const before = async (): Promise<void> => {
        onCall();
        await strike();
      };
      const beforeRead = async (): Promise<void> => {
        await before();
        if (plan.unrest === 0 || !chance(failedReads)) return;
        tally.failedReads += 1;
        throw new ClusterError('transient', 'a read without an answer');
      };
      const looks = (real: IndexStatePort): Partial<IndexStatePort> => ({
        readCheckpoints: async (...args) => (await beforeRead(), real.readCheckpoints(...args)),
      });
      const refreshes = (real: SnapshotPort): Partial<SnapshotPort> => ({
        refreshCopy: async (...args) => (await beforeRead(), real.refreshCopy(...args)),
      });
      return {
        source: {
          state: (real) => ({
            ...looks(real),
            refresh: async (...args) => (await beforeRead(), real.refresh(...args)),
          }),
          snapshots: (real) => ({
            ...refreshes(real),
            open: async (...args) => {
              await beforeRead();
              const pitId = await real.open(...args);
              snapshots.add(pitId);
              return pitId;
            },
            close: async (pitIds, call) => {
              for (const pitId of pitIds) snapshots.delete(pitId);
              return real.close(pitIds, call);
            },
            measure: async (...args) => (await beforeRead(), real.measure(...args)),
            readDocuments: async (...args) => (await beforeRead(), real.readDocuments(...args)),
            readHeads: async (...args) => (await beforeRead(), real.readHeads(...args)),
            readKeys: async (...args) => (await beforeRead(), real.readKeys(...args)),
            histogram: async (...args) => (await beforeRead(), real.histogram(...args)),
          }),
        },
        target: {
          state: (real) => ({
            ...looks(real),
            getDocuments: async (...args) => (await beforeRead(), real.getDocuments(...args)),
          }),
          snapshots: refreshes,
          writes: (real) => ({
            bulk: async (...args) => {
              await before();
              const outcome = await sendBulk(real, ...args);
              if (outcome.type === 'answered') {
                tally.conflicts += outcome.failures.filter(({ kind }) => kind === 'conflict').length;
              }
              return outcome;
            },
          }),
        },
      };
    },
    async settled() {
      await Promise.all(late);
    },
  };
}

function drawMaintenance(random: Random): string {
  return random.pick([
    '_refresh',
    '_refresh',
    '_flush?force=true',
    '_forcemerge?max_num_segments=1',
    '_forcemerge?only_expunge_deletes=true',
  ]);
}
