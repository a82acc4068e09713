import { type MigrationRecord, NewerVersionError } from '@aosc/contract';
import { parseAdvanceJob, parseShardJob, parseVerifyJob } from './job-data';
import { advanceQueue, backfillQueue, catchUpQueue, replayQueue, verifyQueue } from './queue-names';

/** The names by which a person knows a migration; jobs only carry its key. */
export type MigrationLabel = Pick<MigrationRecord, 'migrationId' | 'sourceIndex' | 'targetIndex' | 'phase'>;

/** What a queue is for. */
export function describeQueue(queue: string): string {
  if (queue === advanceQueue) return 'Coordinator: one job for each migration, which drives it on';
  if (queue === replayQueue) return 'Rounds of shards that follow their source';
  if (queue === catchUpQueue) return 'Last rounds of shards, under the write block';
  if (queue === verifyQueue)
    return 'Verifications: one job for each migration whose target is compared with its source';
  return `Backfills of shards whose primary is on data node ${queue.slice(backfillQueue('').length)}`;
}

/**
 * Says which migration, shard and phase a job is for, named as in `_status`. It does not show payloads of another shape, whose content is
 * unknown.
 * @param labelOf returns undefined when no such migration runs
 */
export function describeJob(
  queue: string,
  payload: unknown,
  labelOf: (key: string) => MigrationLabel | undefined,
) {
  const job = read(queue, payload);
  if (typeof job === 'string') return { name: 'unknown', data: { note: job } };
  const { key, shard } = job;
  const phase = phaseOf(queue);
  const label = labelOf(key);
  const indices = label === undefined ? key : `${label.sourceIndex} → ${label.targetIndex}`;
  return {
    name: shard === undefined ? `${phase} ${indices}` : `${phase} ${indices} shard ${shard}`,
    data: {
      migration: label?.migrationId ?? 'no running migration has this key',
      key,
      ...(shard === undefined ? {} : { shard }),
      phase,
      ...(label === undefined
        ? {}
        : {
            migration_phase: label.phase,
            source_index: label.sourceIndex,
            target_index: label.targetIndex,
          }),
    },
  };
}

function phaseOf(queue: string): string {
  return queue.startsWith(backfillQueue('')) ? 'backfill' : queue;
}

/** @returns a text when the job's purpose is unknown: why */
function read(queue: string, payload: unknown): { readonly key: string; readonly shard?: number } | string {
  try {
    if (queue === verifyQueue) return parseVerifyJob(payload);
    return queue === advanceQueue ? parseAdvanceJob(payload) : parseShardJob(payload);
  } catch (error) {
    return error instanceof NewerVersionError ? error.message : 'this job is not one of the service';
  }
}
