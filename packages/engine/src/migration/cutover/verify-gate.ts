import type { MigrationRecord, VerificationRecord } from '@aosc/contract';
import { describeVerification, newVerification, nextPass, unprovenOperations } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import { maxSeqNosOf } from '../../ports/index-state-port';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/**
 * The cutover may begin when the passes of the verification have left at most this many operations of each shard
 * uncompared. Some are always left, because applications write during a pass, which takes a second or two.
 */
const mostUnproven = 10_000;
/**
 * If a pass has left more than half as many operations as it had to compare, a further pass would not do better. Then
 * the cutover may begin within this time after the pass, however many operations are left.
 */
const lastingMs = 60_000;
/**
 * By this factor the cutover accepts more uncompared operations while the block is near: applications go on writing
 * during the refresh and the rounds before the block.
 */
const nearBlockFactor = 10;

/**
 * With `options.verify: content` the cutover begins only after a verification without a difference, and soon after its
 * latest pass. While many operations are left, a further pass compares the operations since the pass before, as long as
 * each pass leaves less than half of what it had to compare. After the swap one more pass compares the rest. When a
 * verification has found a difference, a person repairs it and begins the next verification.
 * @returns what the cutover waits for; undefined: nothing
 */
export async function findUnverified(
  context: StepContext,
  { key, options, blockNearSinceMillis }: MigrationRecord,
): Promise<string | undefined> {
  if (options.verify !== 'content') return undefined;
  const { store, source, clock, signal } = context;
  const found = await store.readVerification(key, { signal });
  if (found === undefined) return begin(context, undefined, newVerification(key, clock.now()));
  const text = describeVerification(found.record);
  if (found.record.phase !== 'done' || (text !== undefined && found.record.unsettled === 0)) return text;
  const reached = maxSeqNosOf(await source.state.readCheckpoints({ signal }));
  const most =
    Math.max(mostUnproven, options.convergenceThresholdPerShard) *
    (blockNearSinceMillis === undefined ? 1 : nearBlockFactor);
  const left = Math.max(0, ...unprovenOperations(found.record, reached));
  const { behind = Infinity, endedAtMillis = 0 } = found.record;
  const isLeast = left > behind / 2 && clock.now() - endedAtMillis < lastingMs;
  if ((left <= most || isLeast) && text === undefined) return undefined;
  return (await begin(context, found, nextPass(found.record, left))) ?? text;
}

/**
 * Looks only for differences that a verification has found already, and does not wait for a pass to end: a verification
 * that a person has begun right before the cutover compares nothing during the cutover.
 * @returns the difference; undefined: there is none
 */
export async function findDifference(
  { store, signal }: StepContext,
  { key, options }: MigrationRecord,
): Promise<string | undefined> {
  if (options.verify !== 'content') return undefined;
  const found = await store.readVerification(key, { signal });
  return found && describeVerification({ ...found.record, phase: 'done', unsettled: 0 });
}

/** Begins the last pass after the swap. It compares the operations that came right before the swap. */
export async function verifyRest(context: StepContext, record: MigrationRecord): Promise<void> {
  const { store, signal } = context;
  if (record.options.verify !== 'content') return;
  const found = await store.readVerification(record.key, { signal });
  if (found?.record.phase !== 'done' || found.record.unprovenAtSwap !== undefined) return;
  const unproven = unprovenOperations(found.record, record.finalSeqNos ?? {});
  const unprovenAtSwap = unproven.reduce((sum, operations) => sum + operations, 0);
  // This queues no job, because a migration does not wait for Redis after the swap. The schedulers find the record and
  // queue the job.
  await unlessConflict(() =>
    store.replaceVerification(found, { ...nextPass(found.record), unprovenAtSwap }, { signal }),
  );
}

async function begin(
  { store, jobs, signal }: StepContext,
  before: Stored<VerificationRecord> | undefined,
  record: VerificationRecord,
): Promise<string | undefined> {
  await unlessConflict(() => store.replaceVerification(before, record, { signal }));
  await jobs.ensureVerifyJob(record.key);
  return describeVerification(record);
}
