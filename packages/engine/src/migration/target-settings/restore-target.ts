import { type MigrationRecord, ownValue } from '@aosc/contract';
import type { IndexDescription } from '../../ports/index-state-port';
import { isClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { haveLandedLate, type Settings, stillBorrowed } from './internal-settings';
import { putSettings } from './put-settings';

const refusals = ['invalid', 'forbidden', 'blocked'] as const;

/**
 * Gives the target back the settings that were overridden, unless the target is another index by now. The cluster may
 * refuse them (more replicas than `cluster.max_shards_per_node` has room for, a block, a privilege that was taken
 * away). A refusal does not hold up the migration's end, because before the end no other migration can have the two
 * indices. After the end `restoreLate` tries again for some minutes.
 * @returns which settings could not be given back, and why; undefined: nothing is left to give back
 */
export async function restoreTarget(
  context: StepContext,
  record: MigrationRecord,
): Promise<string | undefined> {
  if (record.targetOriginals === undefined) return undefined;
  try {
    const target = await context.target.state.describe({ signal: context.signal });
    // A target that was deleted and made again is no longer the migration's.
    if (target?.uuid !== record.targetUuid) return undefined;
    const borrowed = borrowedSettings(record, target);
    // Settings that already show the target's own values are put, too: a request of a dead scheduler with the overrides
    // may still be on its way.
    if (borrowed.length === 0 || (await putSettings(context, borrowed, refusals)) === undefined)
      return undefined;
    // Puts only the settings that differ, one by one. The cluster would refuse a setting that it does not know, which
    // was never overridden either.
    const differing = borrowed.filter(([name, value]) => (ownValue(target.settings, name) ?? null) !== value);
    return await putEach(context, record, differing);
  } catch (error) {
    // A target that was deleted has nothing to restore.
    if (isIndexMissing(error)) return undefined;
    if (!isClusterError(error, 'forbidden', 'blocked')) throw error;
    return describeRefused(context, record, [error.message]);
  }
}

function borrowedSettings(record: MigrationRecord, target: IndexDescription): Settings {
  const isAllOverridden = !record.targetRestored || haveLandedLate(record, target);
  return isAllOverridden ? Object.entries(record.targetOriginals ?? {}) : stillBorrowed(record, target);
}

/**
 * Gives some settings of the target back, one by one.
 * @returns which of them the cluster refuses, and why; undefined: it has taken all
 */
export async function putEach(
  context: StepContext,
  record: MigrationRecord,
  settings: Settings,
): Promise<string | undefined> {
  const refused: string[] = [];
  for (const [name, value] of settings) {
    const refusal = await putSettings(context, [[name, value]], refusals);
    if (refusal !== undefined) refused.push(`[${name}] to [${value ?? 'default'}]: ${refusal.message}`);
  }
  return refused.length === 0 ? undefined : describeRefused(context, record, refused);
}

function describeRefused(
  { log }: StepContext,
  { targetIndex }: MigrationRecord,
  refused: readonly string[],
): string {
  const note = `set back on target index [${targetIndex}] yourself: ${refused.join('; ')}`;
  log.warn('settings_not_restored', note);
  return note;
}
