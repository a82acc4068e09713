import { isCaughtUp, jobOfShardPhase } from '@aosc/domain';
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
  for (const { record } of idle) {
    const kind = jobOfShardPhase[record.phase];
    const nodeId = nodes.get(record.shard);
    if (kind !== undefined && nodeId !== undefined) {
      await context.jobs.ensureShardJob(kind, record.key, record.shard, nodeId);
    }
  }
}

/** Under the write block: the last round of every shard that has not had it. */
export async function ensureCatchUpJobs(context: CoordinatorContext, view: MigrationView): Promise<void> {
  await Promise.all(
    view.shards
      .filter(({ record }) => !isCaughtUp(record.phase) || record.phase === 'COMPLETING')
      .map(({ record }) => context.jobs.ensureShardJob('catch_up', record.key, record.shard, '')),
  );
}

/** Somebody owns the shard and has shown life lately. */
export function isAlive(
  context: CoordinatorContext,
  { writer }: { readonly writer: { readonly owner?: string; readonly heartbeatAtMillis: number } },
): boolean {
  if (writer.owner === undefined) return false;
  return Math.abs(context.clock.now() - writer.heartbeatAtMillis) < context.timing.staleAfterMs;
}
