import type { Snapshot } from '@aosc/contract';
import {
  beginRound,
  changeCounters,
  type Contested,
  type CounterName,
  endRound,
  sharesPlaces,
  withContested,
} from '@aosc/domain';
import { SnapshotLostError } from '../errors';
import { replayRound, type RoundResult } from '../replicate/replay-round';
import { noTrace } from '../../ports/trace-port';
import { unlessLost } from '../replicate/record-loss';
import { recopy } from '../replicate/recopy';
import { retryingReads } from '../session/retrying-reads';
import type { RecordChange } from '../session/owned-record';
import type { ShardWork } from '../write/shard-work';
import { recordSnapshot } from '../snapshot/record-snapshot';
import { openLease } from '../snapshot/snapshot-lease';

export interface StepRequest {
  /** which counters the round is booked on */
  readonly counters: CounterName;
  /**
   * Called when the target holds the new snapshot, before the record says so. It gets the round's contested places:
   * those that other source shards may have written to as well.
   * @returns a further change of the record, written together with the step's end
   */
  readonly beforeEnd?: (next: Snapshot, contested: Contested) => Promise<RecordChange>;
}

/** @property checkpoint of the snapshot that the target holds now */
type StepResult = RoundResult & { readonly checkpoint: number };

/**
 * Takes the target from its current snapshot to a fresh one. The record names the fresh snapshot before anything is
 * written from it. If an earlier job began a step, this finishes it with the same snapshot: no other snapshot shows
 * what the step may have written. After the loss of a snapshot the shard copies again, and sweeps (compares the whole
 * target with the source). The record lists the old snapshot as one to be closed, and the caller closes it: under the
 * write block there is no time for that.
 */
export async function stepToNextSnapshot(session: ShardWork, request: StepRequest): Promise<void> {
  const { trace = noTrace } = session.context;
  await trace.inSpan(
    'round',
    { counters: request.counters },
    () => stepOrRepair(session, request),
    (result) => (result === 'repaired' ? { outcome: result } : { outcome: 'done', ...result }),
  );
}

async function stepOrRepair(session: ShardWork, request: StepRequest): Promise<StepResult | 'repaired'> {
  const { snapshot: current, sweepPending } = session.record;
  // A repair that an earlier job could not finish comes first.
  if (current !== undefined && !sweepPending) {
    const done = await unlessLost(session, () => step(session, request, current));
    if (done !== undefined) return done;
  }
  await recopy(session);
  return 'repaired';
}

async function step(session: ShardWork, request: StepRequest, current: Snapshot): Promise<StepResult> {
  const { writer } = session;
  const { clock, log, shard } = session.context;
  const booked = (session.record[request.counters]?.bulkRetries ?? 0) - writer.bulkRetries;
  session.count((record) =>
    record[request.counters] === undefined
      ? record
      : changeCounters(record, request.counters, { bulkRetries: booked + writer.bulkRetries }),
  );
  const since = clock.monotonic();
  const begun = session.record.nextSnapshot;
  if (begun !== undefined && sharesPlaces(session.context.migration)) {
    // The job that began the step may have met documents of other shards, and have died before it recorded them. So the
    // record says that there may be more contested places.
    await session.update((record) => withContested(record, { ids: [], unknown: true }));
  }
  const { next, recorded } =
    begun === undefined
      ? await openNext(session, request, current)
      : { next: begun, recorded: Promise.resolve() };
  const result = await replayRound(session, current, next, recorded).catch(async (error: unknown) => {
    // If the write that records `next` fails, `recordSnapshot` closes the snapshot. The round's error may then only say
    // that its snapshot is gone, so this throws the error of the write.
    await recorded;
    if (error instanceof SnapshotLostError) session.count(); // The counters leave out a repair.
    throw error;
  });
  const contested = writer.targetConflicts.takeContested();
  const whenReached = await request.beforeEnd?.(next, contested);
  await session.update((record) => {
    const ended = {
      ...result,
      old: current,
      next,
      counters: request.counters,
      bulkRetries: booked + writer.bulkRetries,
      roundMs: Math.round(clock.monotonic() - since),
    };
    const noted = withContested(endRound(record, ended, clock.now()), contested);
    return whenReached?.(noted) ?? noted;
  });
  session.count();
  const done = { ...result, checkpoint: next.checkpoint };
  log.info('round_complete', 'the target holds the next snapshot', {
    shard,
    ...done,
  });
  return done;
}

/**
 * @returns the snapshot, and a promise that settles when the record names it: until then nothing may be written from it
 */
async function openNext(
  session: ShardWork,
  { counters }: StepRequest,
  current: Snapshot,
): Promise<{ readonly next: Snapshot; readonly recorded: Promise<void> }> {
  const next = await retryingReads(session, (call) => openLease(session, call, current));
  const begun = { next, counters, gap: gapBetween(current, next) };
  const recorded = recordSnapshot(session, next.pitId, (record) =>
    beginRound(record, begun, session.context.clock.now()),
  );
  // A round that fails before it writes does not await `recorded`.
  recorded.catch(() => undefined);
  return { next, recorded };
}

/** How many operations lie between two snapshots: what the round has to bring. */
function gapBetween(current: Snapshot, next: Snapshot): number {
  const reached = ({ checkpoint, maxSeqNo }: Snapshot): number => Math.max(checkpoint, maxSeqNo);
  return Math.max(0, reached(next) - reached(current));
}
