import type { MigrationRecord } from '@aosc/contract';
import type { CoordinatorContext } from './context';

/**
 * Settings of the target that the copy itself needs, beside the operator's: a re-created document must be
 * writable with its lower version at once, and no pipeline may touch a document that is copied.
 */
export const internalTargetSettings: Readonly<Record<string, string>> = {
  'index.gc_deletes': '0s',
  'index.final_pipeline': '_none',
};

/**
 * Whether somebody has changed them under the copy: a pipeline that came back would alter documents without a
 * trace in any count.
 * @returns the reason to fail, or undefined
 */
export async function findChangedSettings(
  context: CoordinatorContext,
  record: MigrationRecord,
): Promise<string | undefined> {
  const target = await context.admin.describeIndex(record.targetIndex, { signal: context.signal });
  if (target?.uuid !== record.targetUuid) return `Target index [${record.targetIndex}] no longer exists`;
  const changed = Object.entries(internalTargetSettings).find(
    ([name, value]) => target.settings[name] !== value,
  );
  if (changed === undefined) return undefined;
  const [name, value] = changed;
  return (
    `[${name}] of target index [${record.targetIndex}] was changed from [${value}] to [${target.settings[name] ?? 'default'}] ` +
    'during the migration: documents may have been altered on their way. Start again into an empty target'
  );
}
