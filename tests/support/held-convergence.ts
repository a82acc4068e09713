import type { Migration } from './scenario';

/** Options of a migration whose shards stay in CONVERGING while the writers write: the gap is never 0 for all. */
export const heldConvergence = { convergence_threshold_per_shard: 0 } as const;

/** Waits until every shard is in CONVERGING. */
export async function untilConverging(migration: Migration): Promise<void> {
  await migration.waitFor('every shard in CONVERGING', ({ shards }) =>
    Object.values(shards).every(({ phase }) => phase === 'CONVERGING'),
  );
}

/** Lets the shards of such a migration converge, by a pause of the writers. */
export async function letConverge(migration: Migration): Promise<void> {
  await migration.writers.pause();
  await migration.waitFor('every shard converged', ({ shards }) =>
    Object.values(shards).every(({ phase }) => phase !== 'CONVERGING'),
  );
  migration.writers.resume();
}

/** How many rounds the shard with the fewest has had. */
export async function countRounds(migration: Migration): Promise<number> {
  const rounds = (await migration.shards()).map(({ convergence }) => convergence?.rounds ?? 0);
  return Math.min(...rounds);
}
