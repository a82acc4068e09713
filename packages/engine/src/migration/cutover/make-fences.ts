import type { MigrationRecord } from '@aosc/contract';
import { fenceAlias, isSetupAlias, setupAlias, tokenAlias } from '@aosc/domain';
import { nameAttempt } from '../../cluster/name-attempt';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * Fences and token are made by a call that consumes a setup alias of its own attempt. It can't take effect twice, however
 * late it lands a second time: the alias was there for certain before it was sent, and nothing that is under way makes
 * that one again. Nor may the call of another attempt take effect afterwards: it could open a fence again that a takeover
 * has closed, or bring back a token that an abort has taken. So every setup alias is taken away, also where fences and
 * token are there already. The state that names them has this attempt's own, so it has all that were answered before.
 * @returns whether they are there
 */
export async function makeFencesAndToken(
  context: Pick<StepContext, 'target' | 'signal' | 'clock' | 'assertMandate'>,
  { key, sourceShardCount }: Pick<MigrationRecord, 'key' | 'sourceShardCount'>,
): Promise<boolean> {
  const { target, signal } = context;
  const { index, cluster } = target;
  const setup = setupAlias(key, nameAttempt(context.clock));
  context.assertMandate();
  const armed = await cluster.aliases.update([{ add: { index, alias: setup, is_hidden: true } }], { signal });
  if (armed.type === 'missing') return false;
  const { aliases } = await cluster.readView(index, { signal });
  if (!aliases.includes(setup)) {
    throw new ClusterError(
      'transient',
      `alias [${setup}] was made, and the cluster state that is shown does not have it: the step is taken again`,
    );
  }
  const consumed = aliases
    .filter((alias) => isSetupAlias(key, alias))
    .map((alias) => ({ remove: { index, alias, must_exist: alias === setup } }));
  const shards = Array.from({ length: sourceShardCount }, (_, shard) => shard);
  const made = [tokenAlias(key), ...shards.map((shard) => fenceAlias(key, shard, 1))];
  const missing = aliases.includes(tokenAlias(key)) ? [] : made;
  context.assertMandate();
  const update = await cluster.aliases.update(
    [...consumed, ...missing.map((alias) => ({ add: { index, alias, is_hidden: true } }))],
    { signal },
  );
  return update.type !== 'missing';
}
