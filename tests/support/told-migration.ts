import type { MigrationRecord } from '@aosc/contract';
import { describeEnd } from '@aosc/domain';

/** A migration with the message that its status shows of its end. */
export interface ToldMigration extends MigrationRecord {
  readonly errorMessage?: string;
}

export function toldMigration(record: MigrationRecord): ToldMigration {
  const errorMessage = describeEnd(record);
  return { ...record, ...(errorMessage !== undefined && { errorMessage }) };
}
