import type { Difference, MigrationRecord } from '@aosc/contract';
import { comparability } from '@aosc/domain';
import type { StorePort, VerificationStorePort } from '../ports/store-port';
import type { ShardContext, ShardPacing } from '../shard/context';
import type { PrintMemory } from '../shard/print-memory';

/** Everything that a verification needs; the worker builds it. */
export interface VerifyContext extends Pick<
  ShardContext,
  'source' | 'target' | 'clock' | 'log' | 'timing' | 'migration'
> {
  readonly store: Pick<StorePort, 'readMigration' | 'readShards' | 'readShard' | 'replaceShard'> &
    VerificationStorePort;
  readonly pacing: ShardPacing;
  /** how many shards may be copied at once from a node; 0 pauses the verification, too */
  readonly permits: () => number;
  readonly printMemory: PrintMemory;
  /** @returns a SHA-256, in hexadecimal digits */
  readonly hashOf: (bytes: Uint8Array | string) => string;
  /** counts documents of the source as the verification reads them */
  readonly onDocuments: (count: number) => void;
}

/** The verification can't finish: it fails with this reason. The migration goes on. */
export class VerificationFailedError extends Error {
  override readonly name = 'VerificationFailedError';

  /** @param found differences of a part that could not be compared wholly */
  constructor(
    message: string,
    readonly found: readonly Difference[] = [],
  ) {
    super(message);
  }
}

/** The verification has to stop for now, because the cutover has begun. */
export class VerificationInterruptedError extends Error {
  override readonly name = 'VerificationInterruptedError';
}

/**
 * Reads the migration as it is now.
 * @throws VerificationInterruptedError in the cutover; VerificationFailedError when there is nothing left to compare
 */
export async function readCurrent(
  { store, migration }: Pick<VerifyContext, 'store' | 'migration'>,
  signal: AbortSignal,
): Promise<MigrationRecord> {
  const stored = await store.readMigration(migration.key, { signal });
  if (stored === undefined) throw new VerificationFailedError('the record of the migration is gone');
  const verdict = comparability(stored.record);
  if (verdict === 'now') return stored.record;
  if (verdict === 'later') throw new VerificationInterruptedError(`the migration is ${stored.record.phase}`);
  throw new VerificationFailedError(verdict.never);
}
