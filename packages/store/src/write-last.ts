import type { MigrationRecord } from '@aosc/contract';
import { type Call, ClusterError, isClusterError, type Stored } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import type { Claims } from './claims';
import type { DocumentIndex } from './document-index';
import { documentIds } from './keys';
import { at, migrationCodec } from './record-codec';
import { readMigrationDocument } from './queries';

export type LastWrite =
  | { readonly type: 'created'; readonly migration: Stored<MigrationRecord> }
  /** there is no record, and none can appear any more */
  | { readonly type: 'nothing'; readonly error: unknown };

const secondLookMs = 5_000;

/**
 * The write that makes the migration exist. When it has no certain answer, a second look decides: it writes a tombstone
 * in place of the record, so that the first write, if it is still in flight, can't create the record after all. If
 * OpenSearch refuses the tombstone, the record is there. It is this start's record, because only the holder of the
 * key's claims gets here. A conflict is no certain answer either: the cluster or a proxy may have repeated our own
 * write, and the repetition found the record that the write had made.
 * @throws ClusterError('transient') when the second look has no answer either: the record may exist, or may still
 *   appear
 */
export async function writeLast(
  index: DocumentIndex,
  claims: Claims,
  migration: MigrationRecord,
  call: Call,
): Promise<LastWrite> {
  const id = documentIds.migration(migration.key);
  try {
    const position = await index.create(id, migrationCodec.write(migration), true, call);
    return { type: 'created', migration: at(migration, position) };
  } catch (error) {
    if (isRefused(error)) return { type: 'nothing', error };
    const second = { ...call, signal: timeLimit(secondLookMs) };
    try {
      if (await claims.abandon(migration.key, migration.migrationId, second)) {
        return { type: 'nothing', error: explainNothing(error) };
      }
      const found = readMigrationDocument(await index.get(id, second));
      if (found !== undefined) return { type: 'created', migration: await confirm(index, id, found, second) };
    } catch (cause) {
      throw inDoubt(migration, cause);
    }
    throw inDoubt(migration, error);
  }
}

/**
 * Makes OpenSearch acknowledge a record that a read has found (see `acknowledged-write` of `@aosc/engine`). A conflict
 * means that a scheduler has already changed the record, or that it is gone with the primary that showed it.
 */
async function confirm(
  index: DocumentIndex,
  id: string,
  found: Stored<MigrationRecord>,
  call: Call,
): Promise<Stored<MigrationRecord>> {
  try {
    const { record } = found;
    return at(record, await index.replace(id, found, migrationCodec.write(record), true, call));
  } catch (error) {
    if (!isClusterError(error, 'conflict')) throw error;
    const now = readMigrationDocument(await index.get(id, call));
    if (now === undefined) throw error;
    return now;
  }
}

/** OpenSearch itself has refused. A proxy's answer proves nothing about the write behind it. */
function isRefused(error: unknown): boolean {
  if (!isClusterError(error) || error.details.type === undefined) return false;
  return !['transient', 'aborted', 'overload', 'conflict'].includes(error.kind);
}

function explainNothing(error: unknown): unknown {
  if (!isClusterError(error)) return error;
  const reason =
    error.kind === 'conflict'
      ? 'the start took so long that another one took its claims over'
      : error.message;
  return new ClusterError(error.kind, `nothing was started: ${reason}`, error.details, { cause: error });
}

function inDoubt({ migrationId, sourceIndex }: MigrationRecord, cause: unknown): ClusterError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ClusterError(
    'transient',
    `it is not known whether [${migrationId}] was started. Look at _status of [${sourceIndex}]: if it does not show ` +
      `this migration, start it again after a minute, which rules the first start out (${reason})`,
    {},
    { cause },
  );
}
