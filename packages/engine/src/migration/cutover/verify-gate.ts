import type { MigrationRecord, VerificationRecord } from '@aosc/contract';
import { describeVerification, newVerification, nextPass, unprovenOperations } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import { maxSeqNosOf } from '../../ports/index-state-port';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/** Operations of a shard that may have come since the last pass; a pass takes a second or two. */
const mostUnproven = 10_000;
/** So long after a pass that has left more than half of what it began with the cutover may begin: the next would not do better. */
const lastingMs = 60_000;
/** More come while the refresh and the last rounds before the block are waited for. */
const nearBlockFactor = 10;

/**
 * With options.verify content the cutover begins only after a verification without a difference, and soon after its last pass:
 * what was written since is compared in further passes while each leaves less than half of what the one before has left. The rest is
 * compared after the swap. A person who has put right what was found begins the next verification.
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
 * What the verification has found so far decides: a person may have begun another one since the gate opened, and passes stop at
 * this phase.
 */
export async function findDifference(
  { store, signal }: StepContext,
  { key, options }: MigrationRecord,
): Promise<string | undefined> {
  if (options.verify !== 'content') return undefined;
  const found = await store.readVerification(key, { signal });
  return found && describeVerification({ ...found.record, phase: 'done', unsettled: 0 });
}

/** After the swap the source stands still, and a last pass compares what was written right before it. */
export async function verifyRest(context: StepContext, record: MigrationRecord): Promise<void> {
  const { store, signal } = context;
  if (record.options.verify !== 'content') return;
  const found = await store.readVerification(record.key, { signal });
  if (found?.record.phase !== 'done' || found.record.unprovenAtSwap !== undefined) return;
  const unproven = unprovenOperations(found.record, record.finalSeqNos ?? {});
  const unprovenAtSwap = unproven.reduce((sum, operations) => sum + operations, 0);
  // Not through Redis, which the way to the end of a migration does not wait for: the schedulers find the record.
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
