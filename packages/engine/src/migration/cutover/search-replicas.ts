import { type MigrationRecord, ownValue } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import type { IndexDescription, LaggingCopy } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';
import { hurriedRefresh, refreshSetting } from '../target-settings/internal-settings';
import { putSettings } from '../target-settings/put-settings';

const pollMs = 100;
const maxPolls = 20;

/**
 * Notes the target's refresh interval in the record, before `refreshAll` makes the interval short. Search replicas
 * fetch from the repository once in each interval: with a long interval applications would be blocked for that long
 * before the swap.
 * @returns the changed record; undefined: there is nothing to note
 */
export function noteRefreshInterval(
  record: MigrationIn<'PREPARING_TARGET'>,
  target: IndexDescription | undefined,
): MigrationIn<'PREPARING_TARGET'> | undefined {
  if (target === undefined || !hasSearchReplicas(target)) return undefined;
  const found = target.settings[refreshSetting] ?? null;
  const { targetOriginals } = record;
  const isNoted = targetOriginals !== undefined && ownValue(targetOriginals, refreshSetting) === found;
  if (found === hurriedRefresh || isNoted) return undefined;
  return { ...record, targetOriginals: { ...targetOriginals, [refreshSetting]: found } };
}

/**
 * Refreshes the target, and waits about two seconds at most until its search replicas show what the target held before
 * the refresh. Replicas that lag would keep applications waiting under the write block.
 * @returns the replicas that lag
 */
export async function refreshAll(
  context: StepContext,
  described: IndexDescription | undefined,
): Promise<readonly LaggingCopy[]> {
  const { target, signal, clock } = context;
  if (described === undefined || !hasSearchReplicas(described)) {
    await target.state.refresh({ signal });
    return [];
  }
  await hurry(context);
  const checkpoints = await target.state.readCheckpoints({ signal });
  const wanted = new Map(checkpoints.map(({ shard, maxSeqNo }) => [shard, maxSeqNo]));
  await target.state.refresh({ signal });
  for (let polls = 1; ; polls++) {
    const lagging = await target.state.findLaggingCopies({ signal });
    const late = lagging.filter(
      ({ isSearchOnly, shard, shownSeqNo = -Infinity }) =>
        isSearchOnly && shownSeqNo < (wanted.get(shard) ?? Infinity),
    );
    if (late.length === 0 || polls === maxPolls) return late;
    await clock.sleep(pollMs, signal);
  }
}

/**
 * Makes the target's refresh interval short. A cluster may refuse so short an interval
 * (`cluster.minimum.index.refresh_interval`). Then search replicas keep the target's own interval, and the cutover
 * takes longer.
 */
async function hurry(context: StepContext): Promise<void> {
  const refusal = await putSettings(context, [[refreshSetting, hurriedRefresh]], ['invalid']);
  if (refusal === undefined) return;
  context.log.warn('search_replicas_slow', 'search replicas fetch what they lack by their own interval', {
    reason: refusal.message,
  });
}

/** Gives the target its own refresh interval back when the block is not near any more: the wait may last for days. */
export async function calm(
  context: StepContext,
  { targetOriginals = {} }: MigrationRecord,
  target: IndexDescription | undefined,
): Promise<void> {
  const own = ownValue(targetOriginals, refreshSetting);
  if (own === undefined || target?.settings[refreshSetting] !== hurriedRefresh) return;
  // After a refusal the next step tries again.
  await putSettings(context, [[refreshSetting, own]], ['invalid', 'blocked', 'forbidden']);
}

function hasSearchReplicas({ settings }: IndexDescription): boolean {
  return (settings['index.number_of_search_replicas'] ?? '0') !== '0';
}
