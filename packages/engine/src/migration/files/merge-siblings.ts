import { type MigrationIn, replaceWait } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { ensureShardJobs } from '../step/shard-jobs';
import { waitHeldUp } from '../step/waiting-reason';

type Preparing = MigrationIn<'PREPARING_TARGET'>;

/** The migration no longer waits for the merge, and makes the replicas. */
interface Over {
  readonly type: 'over';
  readonly record: Preparing;
}

/**
 * After a split each shard holds the documents of its sibling shards as deleted documents, until merges drop them. A
 * replica that is made earlier copies the deleted documents, too. So the migration first asks the cluster to merge them
 * away. The cluster has begun many such merges by itself when the shards started.
 *
 * A merge changes no document, `_seq_no` or version, and rounds go on beside it. So the migration goes on without the
 * merge if the cluster refuses it or takes too long. The cluster's tasks show a running merge, whichever process has
 * asked for it.
 */
export async function mergeSiblings(
  context: StepContext,
  view: MigrationView<'PREPARING_TARGET'>,
): Promise<StepResult<'PREPARING_TARGET'> | Over> {
  const { record } = view;
  const { files, options, sourceShardCount, targetShardCount, targetIndex } = record;
  const isSplit = files !== undefined && targetShardCount > sourceShardCount;
  if (!isSplit || options.mergeBeforeReplicas === false || files.merge === 'over')
    return { type: 'over', record };
  const now = context.clock.now();
  const timeoutMs = options.targetReadyTimeoutSeconds * 1000;
  if (files.merge === undefined) {
    const begun = { ...files, merge: 'begun' } as const;
    return changed({ ...record, files: begun, targetReadyDeadlineMillis: now + timeoutMs });
  }
  await ensureShardJobs(context, view);
  const { targetReadyDeadlineMillis = 0, ...rest } = record;
  const over: Over = {
    type: 'over',
    record: {
      ...rest,
      files: { ...files, merge: 'over' },
      waits: replaceWait(record.waits, 'cutover', undefined),
    },
  };
  const giveUp = (why: string): Over => {
    context.log.warn('merge_given_up', `replicas are made with deleted documents in them: ${why}`);
    return over;
  };
  if (now >= targetReadyDeadlineMillis)
    return giveUp(`the merge has not ended within [${options.targetReadyTimeoutSeconds}s]`);
  const { target, signal } = context;
  try {
    const merging = await target.files.readMerging({ signal });
    // Asks once only: while documents are written, there is always something to merge again.
    if (!merging.isAskedFor && files.merge === 'asked') return over;
    // Asks only when the large merges that the cluster began by itself have ended: the request leaves out their
    // segments.
    if (!merging.isAskedFor && merging.documents === 0) {
      context.assertMandate();
      const answer = await target.files.expungeDeletes({ signal });
      if (answer === 'ended' || (await target.files.readMerging({ signal })).isAskedFor)
        return changed({ ...record, files: { ...files, merge: 'asked' } });
    }
    const describe = () =>
      `index [${targetIndex}] gets its replicas when the documents of sibling shards are merged away: ` +
      `${merging.documents} documents are in merges. A start with options.merge_before_replicas: false does not wait`;
    return await waitHeldUp(context, record, { reason: 'target', describe });
  } catch (error) {
    if (!isClusterError(error, 'forbidden', 'invalid', 'blocked', 'not_found')) throw error;
    return giveUp(error.message);
  }
}
