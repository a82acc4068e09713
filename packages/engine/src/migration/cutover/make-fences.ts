import type { MigrationRecord } from '@aosc/contract';
import { fenceAlias, isSetupAlias, setupAlias, tokenAlias } from '@aosc/domain';
import { nameAttempt } from '../../cluster/name-attempt';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * Usually two passes are enough, because the second pass finds what the first has made. Further passes help if another
 * client removes aliases in between.
 */
const maxPasses = 5;

type Context = Pick<StepContext, 'target' | 'signal' | 'clock' | 'assertMandate'>;
type Named = Pick<MigrationRecord, 'key' | 'sourceShardCount'>;

/**
 * Makes the fences and the commit token, by one call that also removes a setup alias. Each pass first makes a setup
 * alias with a name of its own.
 * - The call can't take effect twice, however late it lands a second time, because its setup alias is gone by then. The
 *   pass has seen that alias before it sends the call, so no request under way can make the alias again.
 * - The call of another pass must not take effect afterwards: it could open a fence that a takeover has closed, or
 *   bring back a token that an abort has taken. So a pass that sees the token removes every setup alias, and the other
 *   call then finds its alias missing. The pass sees that alias: the other pass saw no token, so it made its alias
 *   before the token came.
 * @returns whether fences and token are there
 */
export async function makeFencesAndToken(context: Context, record: Named): Promise<boolean> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    const found = await disarmOrMake(context, record);
    if (found !== 'made') return found === 'there';
  }
  throw new ClusterError('transient', `the aliases of [${context.target.index}] do not stand still`);
}

/**
 * One pass.
 * @returns `there`: fences and token were there before, and no other pass can make them any more; `made`: this pass has
 *   made them; `missing`: its setup alias, or the target, is missing
 */
async function disarmOrMake(
  { target, signal, clock, assertMandate }: Context,
  { key, sourceShardCount }: Named,
): Promise<'there' | 'made' | 'missing'> {
  const { index, cluster } = target;
  const setup = setupAlias(key, nameAttempt(clock));
  assertMandate();
  const armed = await cluster.aliases.update([{ add: { index, alias: setup, is_hidden: true } }], { signal });
  if (armed.type === 'missing') return 'missing';
  const { aliases } = await cluster.readView(index, { signal });
  if (!aliases.includes(setup)) {
    throw new ClusterError(
      'transient',
      `alias [${setup}] was made, and the cluster state that is shown does not have it: the step is taken again`,
    );
  }
  const isThere = aliases.includes(tokenAlias(key));
  const consumed = aliases
    .filter((alias) => isSetupAlias(key, alias))
    .map((alias) => ({ remove: { index, alias, must_exist: alias === setup } }));
  const shards = Array.from({ length: sourceShardCount }, (_, shard) => shard);
  const made = [tokenAlias(key), ...shards.map((shard) => fenceAlias(key, shard, 1))];
  const added = isThere ? [] : made.map((alias) => ({ add: { index, alias, is_hidden: true } }));
  assertMandate();
  const update = await cluster.aliases.update([...consumed, ...added], { signal });
  if (update.type === 'missing') return 'missing';
  return isThere ? 'there' : 'made';
}
