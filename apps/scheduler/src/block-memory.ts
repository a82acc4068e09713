import type { MigrationRecord } from '@aosc/contract';
import { stopsWrites } from '@aosc/engine';

/** More migrations than can be under a block at once. */
const mostRemembered = 1000;

/**
 * The records with a write hold or a write block of ours, as this process last saw them: when the records can't be read, it can lift a
 * block from this memory. A record that is no longer seen stays as it was.
 */
export class BlockMemory {
  private readonly records = new Map<string, MigrationRecord>();

  note(record: MigrationRecord): void {
    if (!stopsWrites(record)) this.records.delete(record.key);
    else if (this.records.has(record.key) || this.records.size < mostRemembered) {
      this.records.set(record.key, record);
    }
  }

  find(key: string): MigrationRecord | undefined {
    return this.records.get(key);
  }

  /** Forgets the record, unless this process has seen a newer version of it. */
  forget(record: MigrationRecord): void {
    if (this.records.get(record.key) === record) this.records.delete(record.key);
  }

  all(): readonly MigrationRecord[] {
    return [...this.records.values()];
  }
}
