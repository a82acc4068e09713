import type { MigrationRecord } from '@aosc/contract';
import { isBlockedPhase } from '@aosc/domain';
import type { StorePort } from '@aosc/engine';
import { LRUCache } from 'lru-cache';
import type { DocumentIndex, Position } from './document-index';
import { documentIds } from './keys';
import { at, migrationCodec } from './record-codec';

/** Migrations whose last write this process remembers. A forgotten record costs one more write. */
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
 * Whether searches must see this write at once. The scheduler searches for its migrations by their phase and their
 * guard time (until which it looks after an ended migration). Under the write block applications wait, so those phases
 * are written without a refresh: a search shows them within a second.
 */
function changesVisibility(before: MigrationRecord, after: MigrationRecord): boolean {
  if (isBlockedPhase(after.phase)) return false;
  return before.phase !== after.phase || before.guardUntilMillis !== after.guardUntilMillis;
}
