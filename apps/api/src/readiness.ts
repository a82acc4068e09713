import type { AdminPort, Call } from '@aosc/engine';
import type { Readiness, ReadinessCheck } from '@aosc/telemetry';
import type { Waker } from './dependencies';

/** Both servers must answer: without either of them nothing can be started or cancelled. */
export async function checkReadiness(
  admin: AdminPort,
  waker: Waker,
  newCall: () => Call,
): Promise<Readiness> {
  const checks = await Promise.all([
    check('opensearch', () => admin.clusterUuid(newCall())),
    check('redis', () => waker.ping()),
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
