import type { ShardRecord } from '@aosc/contract';
import { isCaughtUp, jobOfShardPhase, type ShardJobKind, showsLife } from '@aosc/domain';
import type { ShardPlace } from '../ports/jobs-port';
import type { CoordinatorContext, MigrationView } from './context';

/**
 * Queues the job that each shard needs next. A shard whose owner shows life is left alone: after Redis lost its
 * jobs the owner goes on, and a second job would only take it over.
 */
export async function ensureShardJobs(context: CoordinatorContext, view: MigrationView): Promise<void> {
  const idle = view.shards.filter(
    ({ record }) => jobOfShardPhase[record.phase] !== undefined && !isAlive(context, record),
  );
  if (idle.length === 0) return;
  const { primaries } = await context.source.readRouting(view.record.sourceIndex, { signal: context.signal });
  const nodes = new Map(primaries.map(({ shard, nodeId }) => [shard, nodeId]));
  const wanted = new Map<ShardJobKind, ShardPlace[]>();
  for (const { record } of idle) {
    const kind = jobOfShardPhase[record.phase];
    const nodeId = nodes.get(record.shard);
    if (kind === undefined || nodeId === undefined) continue;
    wanted.set(kind, [...(wanted.get(kind) ?? []), { shard: record.shard, nodeId }]);
  }
  for (const [kind, places] of wanted) await context.jobs.ensureShardJobs(kind, view.record.key, places);
}

/** Under the write block: the last round of every shard that has not had it. */
export async function ensureCatchUpJobs(context: CoordinatorContext, view: MigrationView): Promise<void> {
  const places = view.shards
    .filter(({ record }) => !isCaughtUp(record.phase) || record.phase === 'COMPLETING')
    .map(({ record }) => ({ shard: record.shard, nodeId: '' }));
  await context.jobs.ensureShardJobs('catch_up', view.record.key, places);
}

/** Somebody owns the shard and has shown life lately. */
export function isAlive(context: CoordinatorContext, { writer }: Pick<ShardRecord, 'writer'>): boolean {
  return showsLife(writer, context.clock.now(), context.timing.staleAfterMs);
}
