import { fencePattern } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { ClusterError, isClusterError } from '../../ports/cluster-error';
import type { AliasAction } from '../../ports/alias-port';
import type { StepContext } from '../step/context';
import { findCutoverHazard, lookAtCutover } from './cutover-guard';
import { hasCommitted, readToken } from './commit-token';
import { decideMissing, swapActions } from './decide-commit';

export type CommitOutcome =
  { readonly type: 'committed' } | { readonly type: 'refused'; readonly reason: string };

const committed: CommitOutcome = { type: 'committed' };
const refuse = (reason: string): CommitOutcome => ({
  type: 'refused',
  reason: `Alias swap failed during cutover: ${reason}`,
});

/**
 * Sends the swap, which moves the alias and removes commit token and fences in one update of the cluster state. Any
 * process may send the swap any number of times, however late: only an update that finds the token changes anything.
 * That update adds an alias (`committedAlias`), which shows that the swap, not an abort, has taken the token.
 * @throws ClusterError 'transient' when the answer contradicts what the cluster shows, or a primary is missing
 */
export async function swapAlias(context: StepContext, record: MigrationRecord): Promise<CommitOutcome> {
  const prepared = await prepareCommit(context, record);
  if (!('actions' in prepared)) return prepared;
  context.assertMandate();
  const update = await context.target.cluster.aliases.update(prepared.actions, { signal: context.signal });
  if (update.type !== 'missing') return committed;
  const decision = decideMissing(record.key, update.reason, await readToken(context, record));
  switch (decision.type) {
    case 'committed':
      return committed;
    case 'refused':
      return refuse(update.reason);
    case 'again':
      throw new ClusterError(
        'transient',
        `${update.reason}, but the token is there: the swap is asked for again`,
      );
  }
}

/**
 * Looks once more for what forbids the swap: since the counts a user may have lifted the block or moved the alias. If
 * an earlier try has made the swap, the swap stays, whatever users have done to the indices since.
 */
async function prepareCommit(
  context: StepContext,
  record: MigrationRecord,
): Promise<CommitOutcome | { readonly actions: readonly AliasAction[] }> {
  const { target, signal } = context;
  try {
    const [observation, fences] = await Promise.all([
      lookAtCutover(context, record),
      target.aliases.list(fencePattern(record.key), { signal }),
    ]);
    const reason = findCutoverHazard(record, observation);
    if (reason === undefined) return { actions: swapActions(record, observation.source, fences) };
    return (await hasCommitted(context, record)) ? committed : { type: 'refused', reason };
  } catch (error) {
    // After a swap the old index may be gone, or closed, so that the looks fail.
    if (isClusterError(error) && (await hasCommitted(context, record))) return committed;
    throw error;
  }
}
