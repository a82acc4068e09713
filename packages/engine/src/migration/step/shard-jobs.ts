import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isCaughtUp, jobOfShardPhase, type ShardJobKind, showsLife } from '@aosc/domain';
import type { ShardPlace } from '../../ports/jobs-port';
import type { Stored } from '../../ports/store-port';
import type { MigrationView, StepContext } from './context';

/**
 * Queues the job that each shard needs next. A shard whose owner shows life gets none: the owner goes on even if Redis
 * has lost its job, and a second job would find again and again that the shard has an owner.
 */
export async function ensureShardJobs(context: StepContext, view: MigrationView): Promise<void> {
  const idle = view.shards.filter(
    (stored) => jobOfShardPhase[stored.record.phase] !== undefined && !isAlive(context, stored),
  );
  if (idle.length === 0) return;
  const nodes = await readPrimaryNodes(context);
  const wanted = new Map<ShardJobKind, ShardPlace[]>();
  for (const { record } of idle) {
    const kind = jobOfShardPhase[record.phase];
    const nodeId = nodes.get(record.shard);
    if (kind === undefined || nodeId === undefined) continue;
    wanted.set(kind, [...(wanted.get(kind) ?? []), { shard: record.shard, nodeId }]);
  }
  for (const [kind, places] of wanted) await context.jobs.ensureShardJobs(kind, view.record.key, places);
}

/** Makes shards that rest look at once whether they need a round. */
export async function hurry(
  { jobs }: Pick<StepContext, 'jobs'>,
  { key }: Pick<MigrationRecord, 'key'>,
  shards: readonly ShardRecord[],
): Promise<void> {
  if (shards.length === 0) return;
  await jobs.hurryReplays(
    key,
    shards.map(({ shard }) => shard),
  );
}

/**
 * Queues the last round of every shard that has not had it, under the write hold or the write block. A last round needs
 * no permit of a node, so the job names no node.
 */
export async function ensureCatchUpJobs(context: StepContext, view: MigrationView): Promise<void> {
  const places = view.shards
    .filter(({ record }) => !isCaughtUp(record.phase))
    .map(({ record }) => ({ shard: record.shard, nodeId: '' }));
  await context.jobs.ensureShardJobs('catch_up', view.record.key, places);
}

/** Which data node holds each primary of the source, by shard number. Unassigned primaries are left out. */
export async function readPrimaryNodes({
  source,
  signal,
}: Pick<StepContext, 'source' | 'signal'>): Promise<ReadonlyMap<number, string>> {
  const { primaries } = await source.state.readRouting({ signal });
  return new Map(
    primaries.flatMap(({ shard, nodeId }) => (nodeId === undefined ? [] : [[shard, nodeId] as const])),
  );
}

/**
 * Whether a worker owns the shard and has lately changed the shard's record, which shows life. The times in the record
 * decide until this process has seen a change, or has watched for `staleAfterMs`.
 */
export function isAlive(
  { clock, liveness, timing }: Pick<StepContext, 'clock' | 'liveness' | 'timing'>,
  stored: Stored<ShardRecord>,
): boolean {
  const { writer } = stored.record;
  if (writer.owner === undefined) return false;
  const observation = liveness?.watch.look(stored);
  if (
    observation !== undefined &&
    (observation.wasSeenChanging || observation.silentMs >= timing.staleAfterMs)
  ) {
    return observation.silentMs < timing.staleAfterMs;
  }
  return showsLife(writer, clock.now(), timing.staleAfterMs);
}
