import type { MigrationRecord } from '@aosc/contract';
import { tokenAlias } from '@aosc/domain';
import { ClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { readTokenState, type TokenState } from './decide-commit';

/** The cluster names the winner of the token. No process remembers it. */
export async function hasCommitted(context: StepContext, record: MigrationRecord): Promise<boolean> {
  return (await readToken(context, record)) === 'committed';
}

/**
 * Token and mark of one cluster state: the call that takes the token for a commit leaves the mark. Where neither is
 * there, the state proves an abort only if it is younger than the token. The record names a state that had the token
 * (`seenState`), so an older state is refused.
 */
export async function readToken(
  { target, signal }: StepContext,
  { key }: MigrationRecord,
): Promise<TokenState> {
  const { aliases } = await target.cluster.readView(target.index, { signal });
  return readTokenState(key, aliases);
}

/**
 * The first act of an abort. Only an abort that holds the token may lift the block: a swap that is still pending in the
 * cluster then finds no token and changes nothing. No swap can go to a target that is gone: the token then counts as
 * taken.
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
    // This abort may have taken the token before, or the commit has. The answer "missing" and the look can be of
    // different nodes, one of which was away.
    const token = await readToken(context, record);
    if (token !== 'there') return token;
    throw new ClusterError('transient', `${update.reason}, but the token is there: it is taken again`);
  } catch (error) {
    if (isIndexMissing(error)) return 'taken';
    throw error;
  }
}
