import { AoscError, type TimelineAnswer, TimelinePointsSchema, toWire } from '@aosc/contract';
import { noTimelinePoints } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

/** The curve of the running or the newest migration of a source. @throws AoscError not_found when it never had one */
export async function readTimeline(
  store: Pick<MigrationStore, 'findMigrationBySource' | 'readTimeline'>,
  source: string,
  call: Call,
): Promise<TimelineAnswer> {
  const migration = await store.findMigrationBySource(source, call);
  if (migration === undefined) {
    throw new AoscError('not_found', `No migration found for index [${source}]`);
  }
  const { key, migrationId, sourceIndex } = migration.record;
  const stored = await store.readTimeline(key, call);
  return {
    migration_id: migrationId,
    source_index: sourceIndex,
    points: toWire(TimelinePointsSchema, stored?.record.points ?? noTimelinePoints),
  };
}
