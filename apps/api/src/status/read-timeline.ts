import { type MigrationRecord, type TimelineAnswer, TimelinePointsSchema, toWire } from '@aosc/contract';
import { noTimelinePoints } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

/** The curve of a migration. */
export async function readTimeline(
  store: Pick<MigrationStore, 'readTimeline'>,
  { key, migrationId, sourceIndex }: MigrationRecord,
  call: Call,
): Promise<TimelineAnswer> {
  const stored = await store.readTimeline(key, call);
  return {
    migration_id: migrationId,
    source_index: sourceIndex,
    points: toWire(TimelinePointsSchema, stored?.record.points ?? noTimelinePoints),
  };
}
