import type { MigrationRecord } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import type { IndexDescription } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

/**
 * Puts a mark on the source: a hidden alias that names the migration, for an operator who finds the source blocked when
 * the record and the service are gone. The mark comes before the block, so that no block of ours is ever without it. It
 * also comes before the block's time starts, so it does not use up that time. The request for the block goes through
 * the mark, because another index may have the source's name by then.
 *
 * An alias can't carry a text, but its filter can, as the name of a query. The text differs each time, so that each
 * call changes the cluster's state: only for a change does OpenSearch wait for all nodes.
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
 * Takes block and hold off an index that has taken the source's name. The request for the mark goes by name, so it may
 * have marked that index. Then requests that went through the mark have changed that index's settings, and no later
 * step would undo these.
 * @param namesake the index that has the name now, and is not the source
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
