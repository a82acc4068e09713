import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { isAbortedPhase, isTerminalPhase, lastUnderBlock } from '@aosc/domain';
import { isIndexMissing } from '../../ports/cluster-error';
import type { ClaimsPort, StepContext } from '../step/context';

/**
 * The block of a migration that has ended, if its source should have none any more. If the source has the block all the
 * same, the block has landed late. After the swap the old index stays blocked, unless the start asks otherwise.
 */
export function blockToBeGone({ phase, writeBlock }: MigrationRecord): WriteBlock | undefined {
  if (!isTerminalPhase(phase) || writeBlock === undefined || writeBlock.usersOwn) return undefined;
  return phase === 'COMPLETED' && !writeBlock.lifted ? undefined : writeBlock;
}

interface Looking {
  readonly store: ClaimsPort;
  readonly signal: AbortSignal;
}

interface Guarding {
  readonly clock: Pick<StepContext['clock'], 'now'>;
  readonly timing: Pick<StepContext['timing'], 'guardMs'>;
}

/**
 * The lifted block of an attempt that was undone less than `guardMs` ago: for that time a request for the block may
 * still land.
 */
export function blockLandedLate(
  { clock, timing }: Guarding,
  { writeBlock, putOffs }: MigrationRecord,
): WriteBlock | undefined {
  if (writeBlock === undefined || writeBlock.usersOwn || !writeBlock.lifted) return undefined;
  const undone = lastUnderBlock(putOffs);
  return undone !== undefined && clock.now() - undone.atMillis < timing.guardMs ? writeBlock : undefined;
}

/**
 * Whether an undo lifted the block so long ago that no request for the block can land any more. Then a block on the
 * source is another client's.
 */
export function isLongUndone(context: Guarding, record: MigrationRecord): boolean {
  const { writeBlock, putOffs } = record;
  const undone = lastUnderBlock(putOffs);
  if (writeBlock === undefined || undone === undefined) return false;
  return undone.atMillis >= writeBlock.requestedAtMillis && blockLandedLate(context, record) === undefined;
}

/**
 * Whether the migration's source has a write block. This reads the block itself, because its setting may be gone: while
 * a block waits for running writes, a client can remove the setting, and the block stays.
 */
export async function isSourceBlocked(
  { source, signal }: StepContext,
  { sourceUuid }: MigrationRecord,
): Promise<boolean> {
  try {
    const described = await source.state.describe({ signal });
    if (described?.uuid !== sourceUuid) return false;
    return (await source.settings.readWriteBlock({ signal })) !== 'none';
  } catch (error) {
    if (isIndexMissing(error)) return false;
    throw error;
  }
}

/**
 * Whether a block that this process has just seen on the source can be another migration's. The records show that,
 * because each migration announces its block there before it sends the request.
 * @throws NewerVersionError when this version can't read the record of the migration that has the source
 */
export async function isBlockOfAnother(context: Looking, record: MigrationRecord): Promise<boolean> {
  const others = await findOthers(context, record);
  // The list has a bound, and leaves out a record that this version can't read. The claim on the source leads to the
  // migration that has the source now.
  const using = await context.store.findMigrationUsing(record.sourceIndex, { signal: context.signal });
  const isOther = using?.key !== record.key && using?.sourceUuid === record.sourceUuid;
  return [...others, ...(using !== undefined && isOther ? [using] : [])].some(({ phase, writeBlock }) => {
    // A migration in CUTTING_OVER may be about to announce its block. It takes over a late block that it finds on the
    // source, and lifts that block at its end.
    if (writeBlock === undefined || writeBlock.lifted) return phase === 'CUTTING_OVER';
    return !isAbortedPhase(phase);
  });
}

/**
 * Finds the block of an ended migration that may have landed late on the source. If the service took this block for the
 * user's, no process would ever lift it.
 */
export async function findLateBlock(
  context: StepContext,
  record: MigrationRecord,
): Promise<WriteBlock | undefined> {
  const others = await findOthers(context, record);
  return others.map(blockToBeGone).find((block) => block !== undefined);
}

/** The other migrations of the source that run, or that `guard` still looks after. */
async function findOthers(
  { store, signal }: Looking,
  { key, sourceUuid }: MigrationRecord,
): Promise<readonly MigrationRecord[]> {
  const active = await store.listActive({ signal });
  return active
    .map(({ record }) => record)
    .filter((record) => record.key !== key && record.sourceUuid === sourceUuid);
}
