import {
  AoscError,
  type MigrationRecord,
  type ShardDetail,
  ShardDetailSchema,
  type ShardRecord,
  shorten,
  toWire,
  type TimelineAnswer,
  TimelinePointsSchema,
  type VerificationAnswer,
} from '@aosc/contract';
import {
  isSnapshotAtHome,
  isTerminalPhase,
  type PrimaryPlace,
  showShard,
  noTimelinePoints,
  certificateOf,
} from '@aosc/domain';
import { type Call, type ClusterPorts, isIndexMissing, instead } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

interface ShardSources {
  readonly store: Pick<MigrationStore, 'readShard'>;
  readonly cluster: Pick<ClusterPorts, 'index'>;
}

/**
 * One shard of a migration.
 * @param shard as it stands in the path
 * @throws AoscError illegal_argument: that is no number; not_found: there is no such shard
 */
export async function readShardDetail(
  { store, cluster }: ShardSources,
  record: MigrationRecord,
  shard: string,
  call: Call,
): Promise<ShardDetail> {
  if (!/^\d{1,9}$/.test(shard)) {
    throw new AoscError('illegal_argument', `[${shorten(shard)}] is no number of a shard`);
  }
  const stored = await store.readShard(record.key, Number(shard), call);
  if (stored === undefined) {
    throw new AoscError(
      'not_found',
      `No shard [${shard}] in the migration of index [${record.sourceIndex}], which has ${record.sourceShardCount}`,
    );
  }
  return toShardDetail(record, stored.record, await readPrimary(cluster, record, Number(shard), call));
}

/** @returns undefined: the migration has ended, or another index has that name by now */
async function readPrimary(
  cluster: Pick<ClusterPorts, 'index'>,
  { phase, sourceIndex, sourceUuid }: MigrationRecord,
  shard: number,
  call: Call,
): Promise<PrimaryPlace | undefined> {
  if (isTerminalPhase(phase)) return undefined;
  const reading = cluster.index(sourceIndex).state.readRouting(call);
  const routing = await reading.catch(instead(undefined, isIndexMissing));
  return routing?.indexUuid === sourceUuid ? routing.primaries.find((one) => one.shard === shard) : undefined;
}

/** @param primary where it is now; undefined: not known */
export function toShardDetail(
  { migrationId, sourceIndex }: MigrationRecord,
  shard: ShardRecord,
  primary: PrimaryPlace | undefined,
): ShardDetail {
  const { owner, process, claimedAtMillis, heartbeatAtMillis, epoch } = shard.writer;
  const { flow } = showShard(shard);
  const open = [
    ['current', shard.snapshot],
    ['next', shard.nextSnapshot],
  ] as const;
  return toWire(ShardDetailSchema, {
    migrationId,
    sourceIndex,
    shard: shard.shard,
    phase: shard.phase,
    ...(owner !== undefined && {
      owner: {
        id: owner,
        ...(process !== undefined && { process }),
        ...(claimedAtMillis !== undefined && { sinceMillis: claimedAtMillis }),
        heartbeatAtMillis,
      },
    }),
    ownersLost: shard.ownersLost?.count ?? 0,
    epoch,
    ...(primary !== undefined && {
      primary: {
        state: primary.state,
        ...(primary.nodeId !== undefined && { nodeId: primary.nodeId }),
      },
    }),
    snapshots: open.flatMap(([work, snapshot]) => {
      if (snapshot === undefined) return [];
      const { nodeId, openedAtMillis, checkpoint, documentCount } = snapshot;
      const pinned = primary !== undefined && { isPinned: isSnapshotAtHome(snapshot, primary) };
      return [{ work, nodeId, openedAtMillis, checkpoint, documentCount, ...pinned }];
    }),
    snapshotsToClose: shard.closingPitIds.length + (shard.lateCloses?.length ?? 0),
    snapshotsLost: shard.snapshotsLost,
    ...(flow !== undefined && { flow }),
    transitionHistory: shard.transitionHistory,
  });
}

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

/** The newest verification of a migration. @throws AoscError not_found when none was asked for */
export async function readVerification(
  store: Pick<MigrationStore, 'readVerification'>,
  migration: MigrationRecord,
  call: Call,
): Promise<VerificationAnswer> {
  const stored = await store.readVerification(migration.key, call);
  if (stored !== undefined) return certificateOf(migration, stored.record);
  throw new AoscError(
    'not_found',
    `The migration of [${migration.sourceIndex}] was not verified; POST _verify begins it`,
  );
}
