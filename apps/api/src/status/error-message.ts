import type { MigrationRecord } from '@aosc/contract';

/** Why the migration ends as it does, what keeps it from ending, and what the source lacks since, if anything. */
export function errorMessageOf({
  errorMessage,
  obstacle,
  copiesMissing,
}: Pick<MigrationRecord, 'errorMessage' | 'obstacle' | 'copiesMissing'>): string | undefined {
  const parts = [errorMessage, obstacle, copiesMissing].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}
