import type { MigrationRecord } from '@aosc/contract';
import { describeEnd, findRefusal } from '@aosc/domain';

/** Why the migration ends as it does, what keeps it from ending, and what the source has lacked since, if anything. */
export function errorMessageOf(record: MigrationRecord): string | undefined {
  const parts = [describeEnd(record), findRefusal(record), record.copiesMissing];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}
