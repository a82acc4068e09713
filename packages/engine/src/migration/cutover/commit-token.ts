import type { MigrationRecord } from '@aosc/contract';
import { tokenAlias } from '@aosc/domain';
import { ClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { readTokenState, type TokenState } from './decide-commit';

/** The winner of the token: looked up, never remembered. */
export async function hasCommitted(context: StepContext, record: MigrationRecord): Promise<boolean> {
  return (await readToken(context, record)) === 'committed';
}

/**
 * Token and mark of one cluster state: the call that takes the token for a commit leaves the mark. That neither is there
 * proves an abort only by a state that is not from before the token was made; the record names one that had it already
 * (`seenState`), so an older one is refused.
 */
export async function readToken(
  { target, signal }: StepContext,
  { key }: MigrationRecord,
): Promise<TokenState> {
  const { aliases } = await target.cluster.readView(target.index, { signal });
  return readTokenState(key, aliases);
}

/**
 * An abort's first act. Only when it holds the token may the block be lifted: a swap that is still pending in the
 * cluster then finds no token and changes nothing. A target that is gone can't be swapped to: the token is as good as taken.
 * @throws ClusterError 'transient' when the answer is contradicted by what the cluster shows: ask again
 */
export async function takeToken(
  context: StepContext,
  record: MigrationRecord,
): Promise<'taken' | 'committed'> {
  const { target, signal } = context;
  context.assertMandate();
  try {
    const update = await target.cluster.aliases.update(
      [{ remove: { index: target.index, alias: tokenAlias(record.key), must_exist: true } }],
      { signal },
    );
    if (update.type !== 'missing') return 'taken';
    // Has this abort taken it before, or the commit? "Missing" and the look can be of different nodes, and one of
    // them may have been away.
    const token = await readToken(context, record);
    if (token !== 'there') return token;
    throw new ClusterError('transient', `${update.reason}, but the token is there: it is taken again`);
  } catch (error) {
    if (isIndexMissing(error)) return 'taken';
    throw error;
  }
}
