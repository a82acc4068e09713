import { createAoscClient } from '@aosc/client';

/** Starts a migration, and waits for its end. */
export async function migrate(url: string): Promise<string> {
  const client = createAoscClient({ url });
  const { migration_id: migrationId } = await client.start('cities-v1', {
    target_index: 'cities-v2',
    alias: 'cities',
    options: { convergence_threshold_per_shard: 100 },
  });
  const { phase } = await client.waitFor('cities-v1', 'COMPLETED', { migrationId, timeoutMs: 3_600_000 });
  return phase;
}
