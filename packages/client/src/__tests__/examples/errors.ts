import { ApiError, ConnectionError, createAoscClient, MigrationEndedError } from '@aosc/client';

/** What went wrong, in words for an operator. */
export async function explain(url: string): Promise<string> {
  const client = createAoscClient({ url });
  try {
    await client.waitFor('cities-v1', 'COMPLETED');
    return 'done';
  } catch (error) {
    if (error instanceof MigrationEndedError)
      return `it ended: ${error.migration.error_message ?? 'cancelled'}`;
    if (error instanceof ApiError) return `refused with ${error.status} ${error.type}: ${error.reason}`;
    if (error instanceof ConnectionError) return 'no answer: it may have been done all the same';
    throw error;
  }
}
