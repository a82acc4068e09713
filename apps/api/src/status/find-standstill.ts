import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import { type Call, isClusterError } from '@aosc/engine';
import { findRecordsBlock } from '@aosc/runtime';
import type { ApiDependencies } from '../dependencies';

/** A running migration writes a record more often than this, unless all of its shards rest. */
const quietMs = 10_000;

/**
 * Why a migration's records no longer change: a block keeps the service from writing them, so they can't say so
 * themselves.
 * @returns what it is and what to do; undefined: no such block is known
 */
export async function findStandstill(
  { findWriteBlocks, now }: Pick<ApiDependencies, 'findWriteBlocks' | 'now'>,
  migration: MigrationRecord,
  shards: readonly ShardRecord[],
  call: Call,
): Promise<string | undefined> {
  if (isTerminalPhase(migration.phase)) return undefined;
  const beats = shards.map(({ writer }) => writer.heartbeatAtMillis);
  const lastMillis = Math.max(migration.lastUpdatedMillis, ...beats);
  // Clocks of other machines may be ahead.
  if (Math.abs(now() - lastMillis) < quietMs) return undefined;
  try {
    const block = await findRecordsBlock(findWriteBlocks, call);
    return block && `${block}; the migration continues then`;
  } catch (error) {
    // A failure of this look does not spoil the status.
    if (isClusterError(error)) return undefined;
    throw error;
  }
}
