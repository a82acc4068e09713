import type { MigrationRecord } from '@aosc/contract';

/** Why the migration ends as it does, and what keeps it from ending, if anything does. */
export function errorMessageOf({
  errorMessage,
  obstacle,
}: Pick<MigrationRecord, 'errorMessage' | 'obstacle'>): string | undefined {
  const parts = [errorMessage, obstacle].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}
