import { callJson, type StatusDocument } from '@aosc/testkit';
import { type Environment, until } from './environment';
import { pauseWorkers } from './paused-workers';
import type { Migration, Scenario } from './scenario';

/**
 * A cutover that a test opens when it is ready: the target's own settings ask for a replica, which a cluster of one
 * node can't assign, so PREPARING_TARGET waits for it. For {@link openCutover} the test takes the replica away.
 */
export const heldCutover = {
  target: { shards: 4, replicas: 1, routingShards: 8 },
  source: { shards: 2, routingShards: 8 },
  settingsAfter: { 'index.number_of_replicas': '0' },
} as const satisfies Partial<Scenario>;

/** All is copied, and the cutover is held. */
export const isHeld = ({ phase, shards }: StatusDocument): boolean =>
  phase === 'PREPARING_TARGET' && Object.values(shards).every((shard) => shard.phase === 'CONVERGED');

/** Settings for what is about the write block: no write hold comes before it. */
export const blockAlone = { 'aosc.cutover.hold_writers': 'false' } as const;

/** Settings for what is about the write hold: the longest one, so that a slow machine has it as well. */
export const longHold = { 'aosc.cutover.hold_writers': 'true', 'aosc.cutover.max_hold': '30s' } as const;

/** Waits until the target has its own settings back, the replica among them: before, the service would set it again. */
export async function openCutover(environment: Environment, migration: Migration): Promise<void> {
  await migration.recordOnce(({ targetRestored }) => targetRestored);
  const body = { 'index.number_of_replicas': 0 };
  await callJson(environment.http, (answer) => answer, 'PUT', `/${migration.target}/_settings`, body);
}

/**
 * Brings the migration into CATCHING_UP, under the write block, and keeps it there: every worker is paused before
 * the cutover is opened. The writers run into the block, with the setting {@link blockAlone}.
 * @param beforehand what else is to happen once no worker runs, while nothing is blocked yet
 * @returns lets the workers go on
 */
export async function holdInCatchingUp(
  environment: Environment,
  migration: Migration,
  beforehand: () => Promise<void> = () => Promise.resolve(),
): Promise<() => void> {
  const { writers } = migration;
  await migration.recordOnce(({ targetRestored }) => targetRestored);
  const { clusterUuid } = await migration.record();
  // No worker replays from here on: further writes would keep the gap from being small.
  await writers.pause();
  await migration.waitFor('a gap of 0', ({ shards }) =>
    Object.values(shards).every(({ replay, convergence }) => (convergence ?? replay)?.current_gap === 0),
  );
  const goOn = await pauseWorkers(environment, clusterUuid, async () => {
    await beforehand();
    await openCutover(environment, migration);
    await migration.waitFor('CATCHING_UP', ({ phase }) => phase === 'CATCHING_UP');
  });
  writers.resume();
  await until('writers that are blocked', () => writers.stats().blockedRetries > 0);
  return () => void goOn();
}
