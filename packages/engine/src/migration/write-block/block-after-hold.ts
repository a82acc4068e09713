import type { MigrationRecord, WriteHold } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import { lookAtFinals, readFinalCheckpoints } from '../cutover/final-checkpoints';
import { mayWritesRun } from '../phases/decide-finish';
import type { StepContext } from '../step/context';
import { freeNamesake, markBlock } from './mark-block';
import { blockInstead } from './write-hold';

/** Waiting writes meet the block all at once. */
const pollMs = 10;
const maxPolls = 10;

/**
 * The block takes the place of the hold in one change. The call `_block` would wait for copies that the hold asks for,
 * while it refuses every write. A repeated request for the block changes nothing and is answered at once. So a mark
 * follows, new each time: its answer proves that every node has applied block and mark.
 * @param beside work that need not wait for the proof; this call waits for its end
 * @returns the last number of each shard, read when no write that is older than the block ran any more; `draining`: ask
 *   again
 */
export async function blockAfterHold(
  context: StepContext,
  record: MigrationRecord & { readonly writeHold: WriteHold },
  beside: () => Promise<void>,
): Promise<readonly PrimaryCheckpoint[] | 'draining' | 'source_gone'> {
  if (!(await putBlock(context, record))) return markAgain(context, record);
  const done = beside();
  // Waits for `beside` after an error, too: after an undo it would take from the target what the replay needs.
  const [finals] = await Promise.all([provePut(context, record), done]).finally(() =>
    Promise.allSettled([done]),
  );
  return finals;
}

async function provePut(
  context: StepContext,
  record: MigrationRecord & { readonly writeHold: WriteHold },
): Promise<readonly PrimaryCheckpoint[] | 'draining' | 'source_gone'> {
  const { source, signal, clock } = context;
  const [isMarked, { members }] = await Promise.all([
    markBlock(context, record),
    source.cluster.readView(undefined, { signal }),
  ]);
  if (!isMarked) return 'draining';
  // A write that began after the first whole look meets the block. A write's running time would prove nothing: the
  // clock of a node may stand still.
  let older: readonly string[] | undefined;
  for (let polls = 1; ; polls++) {
    const { running, answered } = await source.tasks.listWrites({ signal });
    const left = older?.filter((write) => running.includes(write)) ?? running;
    if (!mayWritesRun({ running: left, answered }, members)) break;
    if (polls === maxPolls) return 'draining';
    if (!mayWritesRun({ running: [], answered }, members)) older = left;
    await clock.sleep(pollMs, signal);
  }
  const look = await lookAtFinals(context);
  if (look.routing.indexUuid === record.sourceUuid)
    return (await readFinalCheckpoints(context, record, look)) ?? 'draining';
  await freeNamesake(context, record, await source.state.describe({ signal }));
  return 'source_gone';
}

/** @returns false: the mark, through which the request goes, is not there */
async function putBlock(
  { source, signal, assertMandate }: StepContext,
  { key, writeHold }: MigrationRecord & { readonly writeHold: WriteHold },
): Promise<boolean> {
  assertMandate();
  try {
    await source.settings.put(blockInstead(writeHold), { signal }, blockAlias(key));
    return true;
  } catch (error) {
    if (isClusterError(error, 'not_found')) return false;
    throw error;
  }
}

/** A user has taken the mark away, or it has died with the source. */
async function markAgain(context: StepContext, record: MigrationRecord): Promise<'draining' | 'source_gone'> {
  const described = await context.source.state.describe({ signal: context.signal });
  if (described?.uuid !== record.sourceUuid) return 'source_gone';
  await markBlock(context, record);
  return 'draining';
}
