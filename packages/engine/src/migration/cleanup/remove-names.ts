import {
  blockAlias,
  committedAlias,
  fencePattern,
  madeAlias,
  setupPattern,
  tokenAlias,
  transformPipelineName,
} from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { instead, isIndexMissing } from '../../ports/cluster-error';
import type { IndexPorts } from '../../ports/index-ports';
import type { StepContext } from '../step/context';

/** Removes the aliases of both indices and the pipeline that have the migration's key in their names. */
export async function removeOurNames(context: StepContext, record: MigrationRecord): Promise<void> {
  const { source, target, signal } = context;
  const { key } = record;
  if (record.transform !== undefined) {
    await target.cluster.transforms.deletePipeline(transformPipelineName(key), { signal });
  }
  await removeAliases(context, target, [
    fencePattern(key),
    tokenAlias(key),
    setupPattern(key),
    committedAlias(key),
    // Without a swap the service may still have to remove a target that was made of files. Only this alias proves that
    // the migration has made it, so the alias stays.
    ...(record.files !== undefined && !record.committed ? [] : [madeAlias(key)]),
  ]);
  await removeAliases(context, source, [blockAlias(key)]);
}

async function removeAliases(
  { signal }: StepContext,
  { index, aliases, cluster }: IndexPorts,
  patterns: readonly string[],
): Promise<void> {
  const found = Promise.all(patterns.map((pattern) => aliases.list(pattern, { signal })));
  const names = (await found.catch(instead([], isIndexMissing))).flat();
  const actions = names.map((alias) => ({ remove: { index, alias, must_exist: false } }));
  if (actions.length > 0) await cluster.aliases.update(actions, { signal });
}
