import type { AdminPort, Call } from '@aosc/engine';
import type { Readiness, ReadinessCheck } from '@aosc/telemetry';
import type { Waker } from './dependencies';

/** Both servers must answer and belong together: otherwise nothing can be started. */
export async function checkReadiness(
  admin: AdminPort,
  waker: Waker,
  newCall: () => Call,
): Promise<Readiness> {
  const checks = await Promise.all([
    check('opensearch', () => admin.clusterUuid(newCall())),
    check('redis', () => waker.ping()),
    check('installation', async () => {
      const misfit = await waker.findMisfit();
      if (misfit !== undefined) throw new Error(misfit);
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
