import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import { instead, isClusterError } from '../../ports/cluster-error';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import { type FinalLook, lookAtFinals } from '../cutover/final-checkpoints';
import type { StepContext } from '../step/context';
import { mayWritesRun } from '../phases/decide-finish';
import { freeNamesake, markBlock } from './mark-block';

type BlockState =
  /** no write can be acknowledged any more */
  | 'confirmed'
  /** writes that began before the block may still run */
  | 'draining'
  /** the user has lifted their own block */
  | 'lifted'
  | 'source_gone';

export interface EnforcedBlock {
  readonly state: BlockState;
  /**
   * what the source showed after an answer that confirmed the block: it saves `readFinalCheckpoints` its first look,
   * while applications wait
   */
  readonly look?: FinalLook;
}

/**
 * Asks for the block that the record announces, and looks whether the block holds. If the record names a block of the
 * user's own, this only looks. If the user has just lifted that block, a request would set a block that the record
 * calls the user's, and no process would lift it.
 */
export async function enforceBlock(
  context: StepContext,
  record: MigrationRecord,
  { usersOwn }: WriteBlock,
): Promise<EnforcedBlock> {
  const { source } = context;
  const call = { signal: context.signal };
  try {
    const block = usersOwn ? 'unasked' : await askForBlock(context, record);
    const [described, look] = await Promise.all([
      source.state.describe(call),
      block === 'confirmed' ? lookAtFinals(context) : undefined,
    ]);
    if (described?.uuid !== record.sourceUuid) {
      if (block === 'confirmed' || block === 'asked') await freeNamesake(context, record, described);
      return { state: 'source_gone' };
    }
    if (look !== undefined) return { state: 'confirmed', look };
    if (block === 'unmarked') {
      // Another client has taken the mark away. The next step asks for the block again.
      await markBlock(context, record);
      return { state: 'draining' };
    }
    // The source shows no block. For a block of ours `draining` makes the next step ask again.
    if (described.settings['index.blocks.write'] !== 'true')
      return { state: usersOwn ? 'lifted' : 'draining' };
    // The setting shows as soon as the cluster manager has it, while a node that lags behind still takes writes. So
    // this writes the mark once more: a node that acknowledges the mark has applied the block, too.
    if (!usersOwn && !(await markBlock(context, record))) return { state: 'draining' };
    return { state: (await writesHaveEnded(context, record)) ? 'confirmed' : 'draining' };
  } catch (error) {
    if (!isClusterError(error, 'not_found')) throw error;
    return { state: 'source_gone' };
  }
}

/**
 * Sends a request that names the mark (an alias of the source, see `markBlock`): if the source is gone, so is the mark.
 * Another index or an alias may have the source's name by now, and a block on that index would stay.
 */
async function askForBlock(
  { source, signal, assertMandate }: StepContext,
  { key }: MigrationRecord,
): Promise<'confirmed' | 'asked' | 'unmarked'> {
  assertMandate();
  const asked = source.settings.blockWrites({ signal }, blockAlias(key));
  const answer = await asked.catch(instead(undefined, 'not_found'));
  if (answer === undefined) return 'unmarked';
  return answer.confirmed ? 'confirmed' : 'asked';
}

/**
 * Whether the block holds although no answer proves it. OpenSearch proves it only in the answer to the first `_block`
 * call, and answers a second call with `shards_acknowledged: false, indices: []`. The caller has seen the setting. Here
 * no write task may run on any member, and `max_seq_no` of every shard must be the same in two reads.
 */
async function writesHaveEnded(
  context: StepContext,
  { sourceShardCount }: MigrationRecord,
): Promise<boolean> {
  const { source, signal } = context;
  const before = await source.state.readCheckpoints({ signal });
  // A primary that does not answer is missing from both reads, so a comparison of the two would not show it.
  if (before.length !== sourceShardCount) return false;
  try {
    const { members } = await source.cluster.readView(undefined, { signal });
    if (mayWritesRun(await source.tasks.listWrites({ signal }), members)) return false;
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    // Without `_tasks` this waits: a write that began before the block ends within its time-out.
    await context.clock.sleep(context.timing.requestTimeoutMs, context.signal);
  }
  const after = await source.state.readCheckpoints({ signal });
  return describePositions(before) === describePositions(after);
}

function describePositions(checkpoints: readonly PrimaryCheckpoint[]): string {
  return checkpoints
    .map(({ shard, maxSeqNo, historyUuid }) => `${shard}:${maxSeqNo}:${historyUuid}`)
    .join(' ');
}

export function sayConfirmed(
  { log, clock }: Pick<StepContext, 'log' | 'clock'>,
  { requestedAtMillis }: WriteBlock,
): void {
  log.info('write_block_confirmed', 'no write can be acknowledged any more', {
    sinceRequestMs: clock.now() - requestedAtMillis,
  });
}
