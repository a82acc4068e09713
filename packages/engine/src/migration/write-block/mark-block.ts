import type { MigrationRecord } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import type { IndexDescription } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

/**
 * Marks the source for an operator who finds it blocked when the record and the service are gone: a hidden alias names
 * the migration. It comes before the block, so that no block of ours is ever without it, and before the clock of the
 * block starts. The request for the block goes through the mark, because the source's name may be another index's by
 * then. An alias can't carry a text, but its filter can, as the name of a query. The text differs each time.
 * @returns whether all nodes say that they have applied the change, and with it all that the cluster had decided before
 */
export async function markBlock(context: StepContext, record: MigrationRecord): Promise<boolean> {
  const { sourceIndex, targetIndex, alias, migrationId, key } = record;
  const text =
    `write-blocked by AOSC for the cutover of migration [${migrationId}] to [${targetIndex}], alias [${alias}], ` +
    `from ${new Date(context.clock.now()).toISOString()} on; see docs/how-to/break-glass.md of AOSC`;
  const properties = { json: JSON.stringify({ filter: { match_none: { _name: text } } }) };
  context.assertMandate();
  const { type } = await context.source.cluster.aliases.update(
    [{ add: { index: sourceIndex, alias: blockAlias(key), is_hidden: true, properties } }],
    { signal: context.signal },
  );
  return type === 'acknowledged';
}

/**
 * The request for the mark goes by the source's name, and may have marked the index that has the name now: a block that
 * goes through the mark would stay on that index.
 * @param namesake the index of that name, which is not the source
 */
export async function freeNamesake(
  { source, signal, assertMandate }: StepContext,
  { key, writeHold }: MigrationRecord,
  namesake: IndexDescription | undefined,
): Promise<void> {
  const mark = blockAlias(key);
  if (namesake?.aliases.has(mark) !== true) return;
  assertMandate();
  await source.settings.put({ ...writeHold?.originals, 'index.blocks.write': null }, { signal }, mark);
}
