import type { MigrationRecord } from '@aosc/contract';
import { RedisSilentError } from '@aosc/queue';
import type { ApiDependencies } from './dependencies';

/**
 * Wakes the schedulers. The change is written already, and they look by themselves, so a failure costs only a moment.
 * @returns false: Redis gives no answer, and would cost its time-out again
 */
export async function wake(
  { queueClient, logger }: Pick<ApiDependencies, 'queueClient' | 'logger'>,
  { key, migrationId }: MigrationRecord,
): Promise<boolean> {
  try {
    await queueClient.wakeMigration(key);
    return true;
  } catch (error) {
    logger.warn('the schedulers could not be woken; their next look finds the migration', {
      event: 'wake_failed',
      migration: migrationId,
      error,
    });
    return !(error instanceof RedisSilentError);
  }
}
