import type { Queues } from '@aosc/queue';
import type { Readiness, ReadinessCheck } from '@aosc/telemetry';
import type { Cluster } from './connect';

const limitMs = 3000;

/** Can the process work: does OpenSearch answer, does Redis, and does Redis keep what it is given? */
export function createReadiness(
  cluster: Pick<Cluster, 'admin' | 'clusterUuid'>,
  queues: Pick<Queues, 'check'>,
): () => Promise<Readiness> {
  const openSearch = async (): Promise<string | undefined> => {
    const uuid = await cluster.admin.clusterUuid({
      signal: AbortSignal.timeout(limitMs),
      timeoutMs: limitMs,
    });
    return uuid === cluster.clusterUuid
      ? undefined
      : 'the cluster at this address is another one now: restart the process';
  };
  return async () => {
    const checks = await Promise.all([check('opensearch', openSearch), check('redis', () => queues.check())]);
    return { ok: checks.every(({ ok }) => ok), checks };
  };
}

async function check(name: string, find: () => Promise<string | undefined>): Promise<ReadinessCheck> {
  try {
    const reason = await find();
    return reason === undefined ? { name, ok: true } : { name, ok: false, reason };
  } catch (error) {
    return { name, ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
