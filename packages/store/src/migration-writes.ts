import type { MigrationRecord } from '@aosc/contract';
import { isBlockedPhase } from '@aosc/domain';
import type { StorePort } from '@aosc/engine';
import { LRUCache } from 'lru-cache';
import type { DocumentIndex, Position } from './document-index';
import { documentIds } from './keys';
import { at, migrationCodec } from './record-codec';

/** Migrations whose last write is known. A forgotten one is written once more. */
const maxWritten = 1000;

/** Writes the records of migrations, and remembers which writes an answer has confirmed. */
export function createMigrationWrites(
  index: Pick<DocumentIndex, 'replace'>,
): Pick<StorePort, 'replaceMigration' | 'confirmMigration'> {
  /** the position of each record after this process's last answered write, by key */
  const written = new LRUCache<string, Position>({ max: maxWritten });

  const replaceMigration: StorePort['replaceMigration'] = async (before, after, call) => {
    const id = documentIds.migration(after.key);
    const visible = changesVisibility(before.record, after);
    const position = await index.replace(id, before, migrationCodec.write(after), visible, call);
    written.set(after.key, position);
    return at(after, position);
  };

  return {
    replaceMigration,
    confirmMigration: async (found, call) => {
      const last = written.get(found.record.key);
      const isOwn = last?.seqNo === found.seqNo && last.primaryTerm === found.primaryTerm;
      return isOwn ? found : replaceMigration(found, found.record, call);
    },
  };
}

/**
 * Whether a search must see this write at once: it changes what decides who looks after the migration. The phases under
 * the write block are on the clock and go without a refresh: a list shows them within a second.
 */
function changesVisibility(before: MigrationRecord, after: MigrationRecord): boolean {
  if (isBlockedPhase(after.phase)) return false;
  return before.phase !== after.phase || before.guardUntilMillis !== after.guardUntilMillis;
}
