import type { MigrationRecord } from '@aosc/contract';
import type { ApiDependencies } from './dependencies';

/**
 * Wakes the schedulers. The change is written already, and they look by themselves, so a failure costs only a moment.
 */
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
