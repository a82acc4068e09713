import type { MigrationRecord } from '@aosc/contract';
import { fenceAlias, isSetupAlias, setupAlias, tokenAlias } from '@aosc/domain';
import { nameAttempt } from '../../cluster/name-attempt';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/** The second pass finds what the first has made, unless another client has taken it away in between. */
const maxPasses = 5;

type Context = Pick<StepContext, 'target' | 'signal' | 'clock' | 'assertMandate'>;
type Named = Pick<MigrationRecord, 'key' | 'sourceShardCount'>;

/**
 * Makes fences and token by a call that consumes a setup alias of its own attempt. The call can't take effect twice,
 * however late it lands a second time: the alias was certainly there before the call was sent, and no call under way
 * makes it again. Nor may the call of another attempt take effect afterwards: it could open a fence that a takeover has
 * closed, or bring back a token that an abort has taken. So a pass that has seen the token takes every setup alias
 * away: an attempt that has not seen the token yet had armed its call before. The state that the pass reads shows the
 * pass's own alias, so it shows all aliases whose calls were answered before.
 * @returns whether fences and token are there
 */
export async function makeFencesAndToken(context: Context, record: Named): Promise<boolean> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    const found = await disarmOrMake(context, record);
    if (found !== 'made') return found === 'there';
  }
  throw new ClusterError('transient', `the aliases of [${context.target.index}] do not stand still`);
}

/** @returns `there`: all were there before, and no other attempt can make them any more */
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
