import { ownValue, type MigrationRecord, type WriteHold } from '@aosc/contract';
import { blockAlias, sharesPlaces, type WithHold } from '@aosc/domain';
import { instead, isClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { IndexDescription } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';
import { freeNamesake } from './mark-block';

const allocation = 'index.routing.allocation.enable';
const replicas = 'index.number_of_replicas';
/**
 * Before a primary writes, OpenSearch counts the shard's active copies. If there are fewer than this setting asks for,
 * the write waits at its coordinating node, and keeps the value that the setting had when the write came. With `all`
 * the write goes on as soon as no copy is missing. With a number above the number of copies it would wait for its whole
 * time-out, even after the setting was given back.
 */
const waits = 'index.write.wait_for_active_shards';

/**
 * The settings that `giveBackHold` gives back, one list for each request. A waiting write tries again when the cluster
 * state changes. But if the primary's node has not applied the first request's change at that moment, the write goes on
 * waiting. The second request makes one more change, which every node applies after the first: then the write tries
 * again.
 */
const giveBackSteps = [[waits, replicas], [allocation]] as const;

/**
 * After this many undone attempts with a hold, the next attempt blocks at once, because a hold would only delay the
 * cutover. If the start has set `max_pause_ms`, later attempts have a hold, too.
 */
const mostInVain = 3;

/**
 * Decides whether this attempt has a write hold.
 * @param source as it is now
 * @param predictedMs how long the pause of writes will last; 0: not known
 * @returns the hold, which the record must have before the request; a text: why writers can't be held; undefined: holds
 *   are off
 */
export async function planHold(
  context: StepContext,
  record: MigrationRecord,
  { settings }: IndexDescription,
  predictedMs = 0,
): Promise<WriteHold | string | undefined> {
  const { source, signal, clock } = context;
  const { holdWriters = false, maxHoldMs = 0 } = context.cutover?.() ?? {};
  const { writeHold: before } = record;
  if (before !== undefined && isThere(before, settings)) {
    await giveBackHold(context, record);
    return 'a write hold of an attempt before has landed late';
  }
  if (!holdWriters) return undefined;
  if (settings['index.blocks.write'] === 'true') return 'the source had a write block before';
  const inVain = record.putOffs?.filter(({ heldMs }) => heldMs !== undefined) ?? [];
  if (inVain.length >= mostInVain && record.options.maxPauseMs === undefined)
    return `${inVain.length} attempts with a write hold were undone`;
  if (predictedMs > maxHoldMs)
    return `the pause is predicted to last ${predictedMs} ms, and aosc.cutover.max_hold is ${maxHoldMs} ms`;
  // Where documents of several shards may meet in the target, the last rounds rely on a source without writes. Some
  // writes pass a hold.
  if (sharesPlaces(record)) return 'documents of several source shards may meet in the target';
  if ((settings['index.auto_expand_replicas'] ?? 'false') !== 'false')
    return 'index.auto_expand_replicas sets the number of replicas of the source';
  const [{ primaries }, maySeeWrites] = await Promise.all([
    source.state.readRouting({ signal }),
    source.tasks.listWrites({ signal }).then(() => true, instead(false, 'forbidden')),
  ]);
  if (!maySeeWrites) return 'the user of the service may not list tasks, which prove that no write runs';
  // A held write waits for all copies. If a copy is missing anyway, that write would go on waiting after the give-back.
  const short = primaries.find(({ isMoving, copies, activeCopies }) => isMoving || activeCopies < copies);
  if (short !== undefined) return `a copy of source shard [${short.shard}] is missing, recovering or moving`;
  const more = Number(settings[replicas] ?? 1) + 1;
  const put = { [allocation]: 'none', [replicas]: String(more), [waits]: 'all' };
  const originals = Object.keys(put).map((name) => [name, ownValue(settings, name) ?? null] as const);
  return {
    requestedAtMillis: clock.now(),
    originals: Object.fromEntries(originals),
    put,
    givenBack: false,
  };
}

/**
 * Asks for the hold. The request names the mark (the alias of `markBlock`), so it can't reach another index that has
 * the source's name by now.
 * @returns undefined: writers wait, except those whose requests have a `wait_for_active_shards` of their own; a text:
 *   why the cluster refuses the hold, and nothing has changed
 */
export async function putHold(
  { source, signal, assertMandate }: StepContext,
  { key, writeHold }: MigrationRecord & WithHold,
): Promise<string | undefined> {
  assertMandate();
  try {
    await source.settings.put(writeHold.put, { signal }, blockAlias(key));
    return undefined;
  } catch (error) {
    if (isClusterError(error, 'invalid', 'blocked', 'forbidden', 'not_found')) return error.message;
    throw error;
  }
}

/**
 * The settings that put the block in the place of the hold, in one change: held writes try again at that change, and
 * the block refuses them.
 */
export function blockInstead({ originals }: WriteHold): Readonly<Record<string, string | boolean | null>> {
  return {
    'index.blocks.write': true,
    ...Object.fromEntries(giveBackSteps[0].map((name) => [name, ownValue(originals, name) ?? null])),
  };
}

/**
 * Gives back what the hold has set: held writes go on, and none is refused. A setting that another client has changed
 * stays as it is. If the record says that the hold was given back, this only looks for a hold that has landed late.
 * Each undo and each end of a migration calls this. Nothing relies on the hold, so every process may call this at any
 * time.
 */
export async function giveBackHold(context: StepContext, record: MigrationRecord): Promise<void> {
  const { source, signal, log } = context;
  const { writeHold, sourceUuid, sourceIndex } = record;
  if (writeHold === undefined) return;
  try {
    const described = await source.state.describe({ signal });
    if (described === undefined) return;
    const { settings } = described;
    if (described.uuid !== sourceUuid) {
      if (isThere(writeHold, settings)) await freeNamesake(context, record, described);
      return;
    }
    if (writeHold.givenBack && !isThere(writeHold, settings)) return;
    for (const names of giveBackSteps) {
      const ours = names.filter((name) => isOurs(writeHold, settings, name));
      if (ours.length === 0) continue;
      context.assertMandate();
      const own = ours.map((name) => [name, ownValue(writeHold.originals, name) ?? null] as const);
      // The cluster may refuse the source's own values, because a user has lowered the number of replicas below
      // `wait_for_active_shards`, or because `cluster.routing.allocation.awareness.balance` forbids this number by now.
      // With the default of `wait_for_active_shards` new writes go through all the same. A held write may wait for the
      // copy that the hold has added, or until its time-out.
      const asDefault = own.map(([name, value]) => [name, name === waits ? null : value] as const);
      const least = asDefault.filter(([name]) => name === waits);
      await putFirstTaken([own, asDefault, least], {
        put: (values) => source.settings.put(Object.fromEntries(values), { signal }),
        onRefused: (reason) =>
          log.warn(
            'write_hold_waits_refused',
            'the source keeps the default or its replicas, because the cluster refuses its own values',
            { index: sourceIndex, reason },
          ),
      });
      if (ours.includes(waits)) log.info('write_hold_ended', 'writers go on', { index: sourceIndex });
    }
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
  }
}

/** Puts the first of these choices that the cluster takes. If it takes none of them, the settings stay as they are. */
async function putFirstTaken<Settings extends readonly unknown[]>(
  choices: readonly Settings[],
  {
    put,
    onRefused,
  }: {
    readonly put: (settings: Settings) => Promise<unknown>;
    readonly onRefused: (reason: string) => void;
  },
): Promise<void> {
  for (const settings of choices.filter(({ length }) => length > 0)) {
    try {
      await put(settings);
      return;
    } catch (error) {
      if (!isClusterError(error, 'invalid')) throw error;
      onRefused(error.message);
    }
  }
}

const isOurs = ({ put }: WriteHold, settings: IndexDescription['settings'], name: string): boolean =>
  ownValue(settings, name) === ownValue(put, name);

/** Whether the source has all settings of the hold: a single setting may be another client's. */
export const isThere = (hold: WriteHold, settings: IndexDescription['settings']): boolean =>
  Object.keys(hold.put).every((name) => isOurs(hold, settings, name));
