import { blockAlias, findWaiting, madeAlias, type MigrationIn } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { isClusterError } from '../../ports/cluster-error';
import type { IndexDescription } from '../../ports/index-state-port';
import { changed, type StepContext, type StepResult } from '../step/context';
import { failMigration, failOverdueBlock, isBlockOverdue } from '../step/failure';
import { waitHeldUp } from '../step/waiting-reason';
import { isAsync } from '../target-settings/internal-settings';
import { announcedBlock } from '../write-block/announced-block';
import { findLateBlock, isSourceBlocked } from '../write-block/late-block';
import { endBlock, liftBlock, liftPollMs } from '../write-block/lift-block';
import { markBlock } from '../write-block/mark-block';
import { decideMaking, sourceShards } from './decide-making';

/** Whether the migration makes its target of files, and the record does not know the target yet. */
export function isWithoutTarget(record: MigrationIn<'ACTIVE'>): record is FilesRecord {
  return record.files !== undefined && record.targetUuid === '';
}

const unreadyPollMs = 500;

export type FilesRecord = MigrationIn<'ACTIVE'> & { readonly files: NonNullable<MigrationRecord['files']> };
type Result = Promise<StepResult<'ACTIVE'>>;

/**
 * Makes the target of the source's files. OpenSearch takes a resize only while the source is write-blocked, so the
 * service blocks the source while the target is created. The target's shards start while applications write again. The
 * files may hold or lack what applications have written since `announce` noted the source's checkpoints. The first
 * round of each shard finds that out, so the block need not be confirmed.
 */
export async function makeTarget(context: StepContext, record: FilesRecord): Result {
  if (isBlockOverdue(context, record)) return failOverdue(context, record);
  const call = { signal: context.signal };
  const [source, target] = await Promise.all([
    context.source.state.describe(call),
    context.target.state.describe(call),
  ]);
  const step = decideMaking(record, { source, target });
  switch (step.type) {
    case 'announce':
      return announce(context, record, step.source);
    case 'resize':
      return resize(context, record);
    case 'lift':
      return lift(context, record);
    case 'adopt':
      return adopt(context, record, step.uuid);
    case 'fail':
      return failMigration(context, record, step.reason);
  }
}

/** Names the error of the failed resizes, if the record has it: `resize` has lifted the block after each of them. */
function failOverdue(context: StepContext, record: FilesRecord): StepResult<'ACTIVE'> {
  const trouble = findWaiting(record, 'steps')?.text;
  if (trouble === undefined) return failOverdueBlock(context, record);
  const { writeBlockMaxMs } = context.timing;
  return failMigration(
    context,
    record,
    `target index [${record.targetIndex}] was not made of the files of the source within ${writeBlockMaxMs} ms ` +
      `(AOSC_WRITE_BLOCK_MAX_MS): ${trouble}`,
  );
}

/**
 * Notes in the record the source's checkpoints and the block. The requests for block and resize come in the next step.
 */
async function announce(context: StepContext, record: FilesRecord, described: IndexDescription): Result {
  const { source, signal, clock } = context;
  if (isAsync(described.settings)) await source.state.flush({ signal });
  const checkpoints = await source.state.readCheckpoints({ signal });
  const sources = sourceShards(record, checkpoints, await source.state.readRouting({ signal }));
  if (sources === undefined) {
    const describe = () => `source index [${record.sourceIndex}] has primaries that are not started`;
    return waitHeldUp(context, record, { reason: 'target', describe, wakeInMs: unreadyPollMs });
  }
  const found = described.settings['index.blocks.write'];
  const block = announcedBlock(found, found === 'true' ? await findLateBlock(context, record) : undefined);
  if (!block.usersOwn) await markBlock(context, record);
  return changed({
    ...record,
    files: { ...record.files, sources },
    writeBlock: { requestedAtMillis: clock.now(), ...block },
  });
}

/**
 * Sends the resize, and lifts the block. If the resize fails, but the cluster has not refused it, the block is lifted
 * as well: applications can write until a later step tries again. After a refusal the abort lifts the block.
 */
async function resize(context: StepContext, record: FilesRecord): Result {
  try {
    await sendResize(context, record);
  } catch (error) {
    if (!isClusterError(error)) throw error;
    if (isClusterError(error, 'invalid', 'blocked')) {
      return failMigration(
        context,
        record,
        `the cluster refuses to make target index [${record.targetIndex}] of the files of the source: ${error.message}. ` +
          'options.copy: documents copies without them',
      );
    }
    if (record.writeBlock?.usersOwn === false) await liftBlock(context, record);
    throw error;
  }
  return lift(context, record);
}

async function sendResize(context: StepContext, record: FilesRecord): Promise<void> {
  const { source, target, signal } = context;
  const { key, files, writeBlock } = record;
  context.assertMandate();
  // The request names the mark (an alias of the source, see `markBlock`): if the source is gone, so is the mark.
  if (writeBlock?.usersOwn === false)
    await source.settings.put({ 'index.blocks.write': true }, { signal }, blockAlias(key));
  context.assertMandate();
  await target.files.resize(
    {
      source: record.sourceIndex,
      kind: record.sourceShardCount === record.targetShardCount ? 'clone' : 'split',
      settings: { 'index.number_of_shards': record.targetShardCount, ...files.settings },
      alias: madeAlias(key),
    },
    { signal },
  );
}

async function lift(context: StepContext, record: FilesRecord): Result {
  const { writeBlock } = record;
  return writeBlock === undefined || writeBlock.usersOwn
    ? changed(record)
    : endBlock(context, record, writeBlock);
}

/**
 * Removes the mark, and then lifts a block that the source still shows. Each request that sets this block names the
 * mark, so a request without an answer can't land after the removal. Then the record names the target, and no block any
 * more.
 */
async function adopt(context: StepContext, record: FilesRecord, targetUuid: string): Result {
  const { source, signal, log } = context;
  const { writeBlock, ...rest } = record;
  if (writeBlock?.usersOwn === false) {
    const unmark = { remove: { index: source.index, alias: blockAlias(record.key), must_exist: false } };
    context.assertMandate();
    await source.cluster.aliases.update([unmark], { signal });
    if ((await isSourceBlocked(context, record)) && !(await liftBlock(context, record)))
      return { type: 'waiting', wakeInMs: liftPollMs };
  }
  log.info('target_created', 'the target was made of the files of the source', { index: record.targetIndex });
  return changed({ ...rest, targetUuid });
}
