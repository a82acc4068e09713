import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isTerminalPhase, sampleTimeline, summarizeProgress } from '@aosc/domain';
import type { Metrics, MigrationFigures } from '@aosc/telemetry';

/** Each migration is a series of its own in the system that stores the figures. */
const maxMigrations = 50;
/** After so long without a look, another process drives the migration, or none does. */
const keptMs = 30_000;

/** The progress of the running migrations as figures, from what the coordinator reads anyway. @param now epoch ms */
export function createProgressFigures(metrics: Pick<Metrics, 'setProgress'>, now: () => number) {
  const bySource = new Map<string, { readonly at: number; readonly figures: MigrationFigures }>();
  const show = (): void => {
    metrics.setProgress(new Map([...bySource].map(([source, { figures }]) => [source, figures])));
  };
  return {
    /** Notes a look at a migration. */
    note(record: MigrationRecord, shards: readonly ShardRecord[]): void {
      const { sourceIndex, phase } = record;
      if (isTerminalPhase(phase)) bySource.delete(sourceIndex);
      else if (bySource.has(sourceIndex) || bySource.size < maxMigrations)
        bySource.set(sourceIndex, { at: now(), figures: figuresOf(record, shards) });
      show();
    },
    /** Takes out what is out of date. The caller calls it from time to time. */
    forgetOld(): void {
      for (const [source, { at }] of bySource) if (now() - at > keptMs) bySource.delete(source);
      show();
    },
  };
}
export type ProgressFigures = ReturnType<typeof createProgressFigures>;

function figuresOf(record: MigrationRecord, shards: readonly ShardRecord[]): MigrationFigures {
  const progress = summarizeProgress(record, shards);
  return {
    documentsIndexed: progress?.documentsIndexed ?? 0,
    documentsExpected: progress?.totalDocuments ?? 0,
    gapOperations: sampleTimeline(record, shards, 0).gap ?? undefined,
    remainingSeconds: progress?.remainingSeconds,
  };
}
