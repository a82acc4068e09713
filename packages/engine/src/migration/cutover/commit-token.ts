import type { MigrationRecord } from '@aosc/contract';
import { tokenAlias } from '@aosc/domain';
import { ClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { readTokenState, type TokenState } from './decide-commit';

/**
 * Whether the swap has happened, as the cluster shows. The swap and an abort both remove the commit token, an alias of
 * the target, and only one of the two finds it.
 */
export async function hasCommitted(context: StepContext, record: MigrationRecord): Promise<boolean> {
  return (await readToken(context, record)) === 'committed';
}

/**
 * Reads commit token and `committedAlias` in one cluster state. The swap removes the token and adds `committedAlias`,
 * so a state with neither means that an abort has taken the token. A state from before the token was made has neither,
 * too. But the record names a state that had the token (`seenState`), and the port refuses older states.
 */
export async function readToken(
  { target, signal }: StepContext,
  { key }: MigrationRecord,
): Promise<TokenState> {
  const { aliases } = await target.cluster.readView(target.index, { signal });
  return readTokenState(key, aliases);
}

/**
 * Takes the commit token for an abort. Afterwards no swap can happen: a swap that is still pending in the cluster finds
 * no token and changes nothing. Only then may the abort lift the block (for the exception see `blockBeforeToken`). No
 * swap can go to a target that is gone, so the token of such a target counts as taken.
 * @throws ClusterError 'transient' when the answer contradicts what the cluster shows: ask again
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
    // An earlier try of this abort has taken the token, or the swap has. If a node was away from the cluster, the
    // answer `missing` and the state that is read now can contradict each other.
    const token = await readToken(context, record);
    if (token !== 'there') return token;
    throw new ClusterError('transient', `${update.reason}, but the token is there: it is taken again`);
  } catch (error) {
    if (isIndexMissing(error)) return 'taken';
    throw error;
  }
}
