import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import { lateCloseMaxMs, type MigrationIn } from '@aosc/domain';
import { isIndexMissing, instead } from '../../ports/cluster-error';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import type { StepContext } from '../step/context';

/**
 * Looks, after the migration's end, whether the source has all the copies that it had at the start. A point in time on
 * a node that was away keeps its shard's lock there, so that the copy can't start again on that node. OpenSearch gives
 * up after five tries, and no operator would notice the missing copy. So while a copy is missing, the scheduler asks
 * the cluster to try allocations again, and the status says what is missing. The guard time is extended while a copy is
 * missing, or while a point in time of the service could not be closed, up to about an hour after the end.
 * @returns the changed record; undefined: nothing to change
 */
export async function watchCopies<P extends MigrationPhase>(
  context: StepContext,
  record: MigrationIn<P>,
): Promise<MigrationIn<P> | undefined> {
  const { clock, log, signal, timing } = context;
  const missing = await describeMissing(context, record);
  if (missing !== undefined) await retryAllocations(context.source.cluster, context, signal);
  const endedAtMillis = record.transitionHistory.at(-1)?.startTimeMillis ?? 0;
  const now = clock.now();
  // The recovery of a copy takes a while. So the status names a missing copy only after half of the guard time.
  const shown = now - endedAtMillis >= timing.guardMs / 2 ? missing : undefined;
  const isOpenEnded = missing !== undefined || (await hasLateCloses(context, record));
  const guardUntilMillis = record.guardUntilMillis ?? 0;
  const isDue =
    timing.guardMs > 0 && guardUntilMillis - now < timing.guardMs / 2 && now - endedAtMillis < lateCloseMaxMs;
  const extended = isOpenEnded && isDue ? now + timing.guardMs : guardUntilMillis;
  if (shown === record.copiesMissing && extended === guardUntilMillis) return undefined;
  if (shown !== undefined && shown !== record.copiesMissing) log.warn('copies_missing', shown);
  if (shown === undefined && record.copiesMissing !== undefined)
    log.info('copies_back', 'the source has all the copies again that it had at the start');
  const { copiesMissing: _before, ...rest } = record;
  return { ...rest, guardUntilMillis: extended, ...(shown !== undefined && { copiesMissing: shown }) };
}

async function describeMissing(
  { source, signal }: StepContext,
  { sourceIndex, sourceUuid, sourceCopies }: MigrationRecord,
): Promise<string | undefined> {
  if (sourceCopies === undefined) return undefined;
  // If the old source was deleted, no copy is missing.
  const reading = source.state.readRouting({ signal });
  const routing = await reading.catch(instead(undefined, isIndexMissing, 'forbidden'));
  if (routing?.indexUuid !== sourceUuid || !routing.open) return undefined;
  const short = routing.primaries.flatMap(({ shard, copies, activeCopies }) => {
    // The user may have lowered the number of replicas.
    const wanted = Math.min(sourceCopies[String(shard)] ?? 0, copies);
    return activeCopies < wanted ? [`[${shard}] has ${activeCopies} of ${wanted}`] : [];
  });
  if (short.length === 0) return undefined;
  return (
    `source index [${sourceIndex}] lacks copies that it had at the start: shard ${short.slice(0, 10).join(', ')}` +
    `${short.length > 10 ? ', …' : ''}; _cluster/allocation/explain says why, and POST ` +
    '_cluster/reroute?retry_failed=true tries again'
  );
}

async function hasLateCloses(
  { store, signal }: StepContext,
  { key, sourceShardCount }: MigrationRecord,
): Promise<boolean> {
  const shards = await store.readShards(key, sourceShardCount, { signal });
  return shards.some(({ record }) => (record.lateCloses?.length ?? 0) > 0);
}
