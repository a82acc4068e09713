import type { ShardRecord } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import { isClusterError } from '../../ports/cluster-error';
import type { ShardSession } from '../session/shard-session';
import { tryCloseSnapshots } from './snapshot-lease';

const lookMs = 5000;

/**
 * Writes a snapshot of the source that was just opened into the shard's record, and closes it when the record does not
 * take it.
 */
export async function recordSnapshot(
  session: ShardSession,
  pitId: string,
  change: (record: ShardRecord) => ShardRecord,
): Promise<void> {
  try {
    await session.update(change);
  } catch (error) {
    await closeUnrecorded(session, pitId);
    throw error;
  }
}

/**
 * Closes a snapshot of the source after the record that names it could not be written, unless the record names it all
 * the same. A write without an answer may have been carried out, and the next owner goes on with the snapshot that the
 * record names. A snapshot whose record can't be read stays open for its keep-alive.
 */
async function closeUnrecorded(session: ShardSession, pitId: string): Promise<void> {
  const { store, migration, shard, source } = session.context;
  try {
    // The read has a time limit in place of the session's signal: the signal may have fired, and have cut off the
    // answer to the write.
    const now = await store.readShard(migration.key, shard, { signal: timeLimit(lookMs) });
    const named = [now?.record.snapshot?.pitId, now?.record.nextSnapshot?.pitId];
    // Another job closes a snapshot that the record lists for closing.
    if (named.includes(pitId) || now?.record.closingPitIds.includes(pitId) === true) return;
  } catch (error) {
    if (!isClusterError(error)) throw error;
    return;
  }
  session.unclosed.push(...(await tryCloseSnapshots(source.snapshots, [pitId])));
}
