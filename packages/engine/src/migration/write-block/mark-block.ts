import type { MigrationRecord } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import type { IndexDescription } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

/**
 * Puts the mark on the source: a hidden alias with the migration's name, for an operator who finds the source blocked
 * when the record and the service are gone. Every block of the service comes after its mark. The time that a block may
 * last starts after the mark. The request for the block names the mark instead of the source, because another index may
 * have the source's name by then.
 *
 * An alias can't hold a text, but its filter can, as the name of a query. The text differs each time, so each call
 * changes the cluster state: only for a change does OpenSearch wait for all nodes.
 * @returns whether all nodes say that they have applied this change, and so all earlier changes of the cluster state
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
 * Takes block and hold off an index that has got the source's name. The request for the mark names the index by its
 * name, so it may have marked this other index. Then requests that name the mark have changed the other index's
 * settings, and no later step would undo that.
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
