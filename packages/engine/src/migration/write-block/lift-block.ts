import type { MigrationPhase, MigrationRecord, WriteBlock } from '@aosc/contract';
import { blockAlias, type MigrationIn } from '@aosc/domain';
import { isClusterError, isIndexMissing, instead } from '../../ports/cluster-error';
import { type Changed, changed, type StepContext, type Waiting } from '../step/context';

const maxAttempts = 3;
/** How long one request waits for writes that began before the block. The scheduler's next step goes on waiting. */
const drainWaitMs = 5000;
export const liftPollMs = 250;

/**
 * Puts `index.blocks.write` back to what it was, and makes sure that no block is left. While a block waits for earlier
 * writes (it drains), it stays even if its setting goes. After these writes the source would have a block without a
 * setting, and would refuse writes for ever. So `liftBlock` waits until such a block has drained, and then lifts it.
 * @param isOurs asked before each attempt; false: the block is not this migration's any more, and stays
 * @returns false: the block is not gone yet, ask again; true also if the source is gone
 */
export async function liftBlock(
  context: StepContext,
  record: MigrationRecord,
  isOurs: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  const { source, signal, log } = context;
  const { sourceIndex, sourceUuid, writeBlock } = record;
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const described = await source.state.describe({ signal });
      if (described?.uuid !== sourceUuid) return true;
      if (!(await isOurs())) return false;
      context.assertMandate();
      await source.settings.put({ 'index.blocks.write': writeBlock?.original ?? null }, { signal });
      const state = await source.settings.readWriteBlock({ signal });
      if (state === 'none') {
        log.info('write_block_lifted', 'the source takes writes again', { index: sourceIndex });
        return true;
      }
      // Asks for the draining block a second time. That call waits for the same writes as the first one, also when the
      // first one has given up.
      if (state === 'draining') {
        // If this process no longer drives the migration, its request could land late, and no process would lift that
        // block.
        context.assertMandate();
        const mark = blockAlias(record.key);
        const call = { signal, timeoutMs: drainWaitMs };
        if (!described.aliases.has(mark)) await source.settings.blockWrites(call);
        // A missing mark does not mean that the index is gone. The next attempt goes by the index's name.
        else await source.settings.blockWrites(call, mark).catch(instead(undefined, isIndexMissing));
      }
    }
  } catch (error) {
    if (isIndexMissing(error)) return true;
    if (!isClusterError(error, 'transient', 'overload')) throw error;
    log.info('write_block_draining', error.message, { index: sourceIndex });
  }
  return false;
}

/** Lifts the block of the record, counts how long it was on, and notes in the record that it is lifted. */
export async function endBlock<P extends MigrationPhase>(
  context: StepContext,
  record: MigrationIn<P>,
  block: WriteBlock,
): Promise<Changed<P> | Waiting> {
  if (!(await liftBlock(context, record))) return { type: 'waiting', wakeInMs: liftPollMs };
  context.metrics.writeBlockEnded((context.clock.now() - block.requestedAtMillis) / 1000);
  return changed({ ...record, writeBlock: { ...block, lifted: true } });
}
