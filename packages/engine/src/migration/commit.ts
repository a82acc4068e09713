import { committedAlias, fencePattern, tokenAlias } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import type { AliasAction, AliasProperties } from '../ports/target-port';
import type { CoordinatorContext } from './context';

export type CommitOutcome = 'committed' | 'token_gone';

/**
 * The swap, the commit token and the fences in one cluster-state update. It can be sent any number of times, by
 * anybody, however late: only the one that finds the token changes anything, and it leaves a mark that tells a
 * commit that won from an abort that won.
 */
export async function commit(context: CoordinatorContext, record: MigrationRecord): Promise<CommitOutcome> {
  const { admin, signal } = context;
  const { sourceIndex, targetIndex, alias, key } = record;
  const [source, fences] = await Promise.all([
    admin.describeIndex(sourceIndex, { signal }),
    admin.listAliases(targetIndex, fencePattern(key), { signal }),
  ]);
  const properties: AliasProperties | undefined = source?.aliases[alias];
  const actions: AliasAction[] = [
    { remove: { index: targetIndex, alias: tokenAlias(key), must_exist: true } },
    ...(properties === undefined ? [] : [{ remove: { index: sourceIndex, alias, must_exist: true } }]),
    { add: { index: targetIndex, alias, ...(properties && { properties }) } },
    { add: { index: targetIndex, alias: committedAlias(key), is_hidden: true } },
    ...fences.map((fence) => ({ remove: { index: targetIndex, alias: fence, must_exist: false } })),
  ];
  context.assertInCharge();
  const update = await admin.updateAliases(actions, { signal });
  if (update.type !== 'missing') return 'committed';
  return resolveCommit(context, record);
}

/** Who has won the token: looked up, never remembered. */
export async function resolveCommit(
  context: CoordinatorContext,
  record: MigrationRecord,
): Promise<CommitOutcome> {
  const marks = await context.admin.listAliases(record.targetIndex, committedAlias(record.key), {
    signal: context.signal,
  });
  return marks.length > 0 ? 'committed' : 'token_gone';
}

/**
 * An abort's first act. Only when it holds the token may the block be lifted: a swap that is still pending in the
 * cluster then finds no token and changes nothing.
 */
export async function takeToken(
  context: CoordinatorContext,
  record: MigrationRecord,
): Promise<'taken' | 'committed'> {
  const { admin, signal } = context;
  context.assertInCharge();
  const update = await admin.updateAliases(
    [{ remove: { index: record.targetIndex, alias: tokenAlias(record.key), must_exist: true } }],
    { signal },
  );
  if (update.type !== 'missing') return 'taken';
  return (await resolveCommit(context, record)) === 'committed' ? 'committed' : 'taken';
}
