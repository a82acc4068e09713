import { createHash } from 'node:crypto';
import { type MigrationRecord, type ShardRecord, StatusSchema, type TimelineRecord } from '@aosc/contract';
import { isTerminalPhase, peakOf } from '@aosc/domain';
import type { Call, Stored } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import type { Tagged } from '../http/entity-tag';
import { toStatusDocument } from './status-document';

/** A status looks another way after an update of the service: its tag must, too. */
const shape = JSON.stringify(StatusSchema);

/** The status of a migration. That of an ended one has the peak of its timeline. */
export async function readStatus(
  store: Pick<MigrationStore, 'pollShards' | 'readTimeline'>,
  migration: Stored<MigrationRecord>,
  call: Call,
): Promise<Tagged> {
  const { key, phase, sourceShardCount } = migration.record;
  const [shards, timeline] = await Promise.all([
    store.pollShards(key, sourceShardCount, call),
    isTerminalPhase(phase) ? store.readTimeline(key, call) : undefined,
  ]);
  let text: string | undefined;
  return {
    etag: tagOf(migration, shards, timeline),
    text: () => (text ??= render(migration, shards, timeline)),
  };
}

function render(
  { record }: Stored<MigrationRecord>,
  shards: readonly Stored<ShardRecord>[],
  timeline: Stored<TimelineRecord> | undefined,
): string {
  return JSON.stringify(
    toStatusDocument(
      record,
      shards.map((shard) => shard.record),
      timeline && peakOf(timeline.record),
    ),
  );
}

/** From the records' versions: every write of one of them changes its own. */
function tagOf(
  migration: Stored<MigrationRecord>,
  shards: readonly Stored<ShardRecord>[],
  timeline: Stored<TimelineRecord> | undefined,
): string {
  const hash = createHash('sha256')
    .update(shape)
    .update(`${migration.record.key} ${versionOf(migration)}`);
  for (const shard of shards) hash.update(` ${shard.record.shard}:${versionOf(shard)}`);
  if (timeline !== undefined) hash.update(` t:${versionOf(timeline)}`);
  return `W/"${hash.digest('base64url').slice(0, 22)}"`;
}

const versionOf = ({ seqNo, primaryTerm }: Stored<unknown>): string => `${seqNo}.${primaryTerm}`;
