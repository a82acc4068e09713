import {
  blockAlias,
  committedAlias,
  fencePattern,
  setupAlias,
  tokenAlias,
  transformPipelineName,
} from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { isIndexMissing } from '../../ports/cluster-error';
import type { CoordinatorContext } from '../step/context';

/** Takes away what carries the migration's own name: fences, token, pipeline, the mark of the write block. */
export async function removeOurNames(context: CoordinatorContext, record: MigrationRecord): Promise<void> {
  const { admin, signal } = context;
  const { key } = record;
  if (record.transform !== undefined) {
    await admin.deletePipeline(transformPipelineName(key), { signal });
  }
  await removeAliases(context, record.targetIndex, [
    fencePattern(key),
    tokenAlias(key),
    setupAlias(key),
    committedAlias(key),
  ]);
  await removeAliases(context, record.sourceIndex, [blockAlias(key)]);
}

async function removeAliases(
  { admin, signal }: CoordinatorContext,
  index: string,
  patterns: readonly string[],
): Promise<void> {
  try {
    const found = await Promise.all(patterns.map((pattern) => admin.listAliases(index, pattern, { signal })));
    const actions = found.flat().map((alias) => ({ remove: { index, alias, must_exist: false } }));
    if (actions.length > 0) await admin.updateAliases(actions, { signal });
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
  }
}
