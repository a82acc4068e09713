import type { ShardRecord } from '@aosc/contract';
import { unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import { afterClosing, pitIdsToClose, wasLateClosed } from '../../shard/snapshot/late-closes';
import type { StepContext } from '../step/context';

/** The result of closing one shard's snapshots. */
export interface ClosedShard {
  /** undefined: somebody else has written the record meanwhile */
  readonly stored: Stored<ShardRecord> | undefined;
  /** One that could not be closed at first is closed by now: the caller tries allocations again. */
  readonly wasLate: boolean;
}

/**
 * Closes what a shard's record lists as no longer needed, and writes the record with what is left.
 * @param close told the ids of points in time; returns those that are not known to be closed
 * @param toWrite the record that is written, made of the one after the closing
 * @param ids left out: all that the record lists
 */
export async function closeListed(
  { store, signal, clock }: StepContext,
  stored: Stored<ShardRecord>,
  close: (pitIds: readonly string[]) => Promise<readonly string[]>,
  {
    toWrite = (closed) => closed,
    ids = pitIdsToClose(stored.record),
  }: {
    readonly toWrite?: ((closed: ShardRecord, nowMillis: number) => ShardRecord) | undefined;
    readonly ids?: readonly string[];
  } = {},
): Promise<ClosedShard> {
  const { record } = stored;
  const left = await close(ids);
  const now = clock.now();
  const after = toWrite(afterClosing(record, ids, left, now), now);
  return {
    stored: await unlessConflict(() => store.replaceShard(stored, after, { signal })),
    wasLate: wasLateClosed(record, left),
  };
}
