import type { Queues } from '@aosc/queue';
import { findWriteBlocks } from '@aosc/opensearch';
import { timeLimit } from '@aosc/signals';
import type { Readiness, ReadinessCheck } from '@aosc/telemetry';
import type { Cluster } from './connect';
import { findRecordsBlock } from './find-records-block';
import type { InstallationState, InstallationWatch } from './installation/watch-installation';

const limitMs = 3000;

/** Whether the process can work: OpenSearch answers and takes records, Redis answers and keeps what it stores, and both are ours. */
export function createReadiness(
  cluster: Pick<Cluster, 'client' | 'ports' | 'clusterUuid'>,
  queues: Pick<Queues, 'check'>,
  installation: Pick<InstallationWatch, 'state'>,
): () => Promise<Readiness> {
  const newCall = () => ({ signal: timeLimit(limitMs), timeoutMs: limitMs });
  const openSearch = async (): Promise<string | undefined> => {
    const uuid = await cluster.ports.uuid(newCall());
    return uuid === cluster.clusterUuid
      ? undefined
      : 'the cluster at this address is another one now: restart the process';
  };
  return () =>
    checkAll({
      opensearch: openSearch,
      records: () =>
        findRecordsBlock((index, call) => findWriteBlocks(cluster.client, index, call), newCall()),
      redis: () => queues.check(),
      installation: () => Promise.resolve(findFault(installation.state)),
    });
}

/** Also not ready while the installation is unsettled, because the process takes no jobs yet. */
function findFault(state: InstallationState): string | undefined {
  return state.type === 'ours' ? undefined : state.reason;
}

/** @param needs what a process needs before it can work, by name; each throws, or returns what is wrong with it */
export async function checkAll(
  needs: Readonly<Record<string, () => Promise<string | undefined>>>,
): Promise<Readiness> {
  const checks = await Promise.all(Object.entries(needs).map(([name, find]) => check(name, find)));
  return { ok: checks.every(({ ok }) => ok), checks };
}

async function check(name: string, find: () => Promise<string | undefined>): Promise<ReadinessCheck> {
  try {
    const reason = await find();
    return reason === undefined ? { name, ok: true } : { name, ok: false, reason };
  } catch (error) {
    return { name, ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
