import type { MigrationRecord } from '@aosc/contract';
import type { ApiDependencies } from './dependencies';

/** Tells the schedulers. What they are told of is written already, and they look by themselves: a failure costs a moment. */
export async function wake(
  { queueClient, logger }: Pick<ApiDependencies, 'queueClient' | 'logger'>,
  { key, migrationId }: MigrationRecord,
): Promise<void> {
  try {
    await queueClient.wakeMigration(key);
  } catch (error) {
    logger.warn('the schedulers could not be woken; their next look finds the migration', {
      event: 'wake_failed',
      migration: migrationId,
      error,
    });
  }
}
