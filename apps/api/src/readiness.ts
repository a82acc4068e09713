import type { Call, ClusterPort } from '@aosc/engine';
import type { Readiness, ReadinessCheck } from '@aosc/telemetry';
import type { QueueClient } from './dependencies';

/** Both servers must answer and belong together: otherwise nothing can be started. */
export async function checkReadiness(
  cluster: Pick<ClusterPort, 'uuid'>,
  queueClient: QueueClient,
  newCall: () => Call,
): Promise<Readiness> {
  const checks = await Promise.all([
    check('opensearch', () => cluster.uuid(newCall())),
    check('redis', () => queueClient.ping()),
    check('installation', async () => {
      const mismatch = await queueClient.findInstallationMismatch();
      if (mismatch !== undefined) throw new Error(mismatch);
    }),
  ]);
  return { ok: checks.every(({ ok }) => ok), checks };
}

async function check(name: string, ask: () => Promise<unknown>): Promise<ReadinessCheck> {
  try {
    await ask();
    return { name, ok: true };
  } catch (error) {
    return { name, ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
