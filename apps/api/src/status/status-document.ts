import {
  type MigrationProgress,
  type MigrationRecord,
  type SetAside,
  type ShardRecord,
  ShardStatusSchema,
  type StatusDocument,
  StatusSchema,
  toWire,
} from '@aosc/contract';
import {
  type CutoverView,
  findRefusal,
  isTerminalPhase,
  leaseId,
  showShard,
  shownWaiting,
  summarizeProgress,
  describeEnd,
} from '@aosc/domain';

/**
 * The status document of a migration. What else the records hold is the service's own business.
 * @param cutover by the clock of the answer; undefined: not shown
 * @param setAside undefined: nothing may be set aside
 * @param peak documents a second, of an ended migration; undefined: no moment of it was kept
 */
export function toStatusDocument(
  migration: MigrationRecord,
  shards: readonly ShardRecord[],
  {
    cutover,
    peak,
    setAside,
  }: {
    readonly cutover?: CutoverView | undefined;
    readonly peak?: number | undefined;
    readonly setAside?: SetAside | undefined;
  } = {},
): StatusDocument {
  const errorMessage = errorMessageOf(migration);
  const waitingFor = shownWaiting(migration);
  const progress = summarizeProgress(migration, shards);
  const document = toWire(StatusSchema, {
    ...migration,
    options: shownOptions(migration.options),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...(cutover !== undefined && { cutover }),
    ...(setAside !== undefined && { setAside }),
    // Every delete carries the routing its document had: what the original calls this strategy.
    deleteRoutingStrategy: 'TRANSLOG_ROUTING',
    shards: {},
    ...(progress !== undefined && {
      progress: {
        ...progress,
        ...(peak !== undefined && { peakDocumentsPerSecond: highest(progress, peak) }),
      },
    }),
    meta: metaOfMigration(migration),
  });
  const entries = shards.map((shard) => [String(shard.shard), toShardStatus(migration, shard)] as const);
  return { ...document, shards: Object.fromEntries(entries) };
}

/** The contract's options are shown as they were resolved, the ones beside it where a start asked for them. */
function shownOptions({
  createAlias,
  failOnMappingDrift,
  ...options
}: MigrationRecord['options']): MigrationRecord['options'] {
  return {
    ...options,
    ...(createAlias === true && { createAlias }),
    ...(failOnMappingDrift === true && { failOnMappingDrift }),
  };
}

/**
 * A peak below the average would be wrong: the copy of a small index may have ended between two moments of the
 * timeline.
 */
const highest = ({ averageDocumentsPerSecond = 0 }: MigrationProgress, peak: number): number =>
  Math.max(peak, averageDocumentsPerSecond);

type ShardStatus = StatusDocument['shards'][string];

/**
 * A caller that polls gets the same record again while it has not changed, and a migration may have hundreds of them.
 */
const made = new WeakMap<ShardRecord, ShardStatus>();

function toShardStatus(migration: MigrationRecord, shard: ShardRecord): ShardStatus {
  const before = made.get(shard);
  if (before !== undefined) return before;
  const { progress: _progress, flow: _flow, ...lasting } = shard;
  const status = toWire(ShardStatusSchema, {
    ...lasting,
    ...showShard(shard),
    meta: metaOfShard(migration, shard),
  });
  made.set(shard, status);
  return status;
}

function metaOfShard({ migrationId }: MigrationRecord, shard: ShardRecord): Record<string, string> {
  return shard.snapshot === undefined ? {} : { active_lease: leaseId(migrationId, shard.shard) };
}

/** Values as text; the original value of a setting at its default is empty. */
function metaOfMigration(migration: MigrationRecord): Record<string, string> {
  const { writeBlock, committed, targetOriginals, overridesRefused } = migration;
  const obstacle = findRefusal(migration);
  const originals = Object.entries(targetOriginals ?? {}).map(([name, value]) => [
    `target.original.${name}`,
    value ?? '',
  ]);
  const refused = Object.entries(overridesRefused ?? {}).map(([name, reason]) => [
    `target.left_out.${name}`,
    reason,
  ]);
  return {
    'write_block.applied': String(writeBlock !== undefined && !writeBlock.lifted),
    'alias.swapped': String(committed),
    ...(obstacle === undefined ? {} : { obstacle }),
    ...(Object.fromEntries([...originals, ...refused]) as Record<string, string>),
  };
}

/** Why the migration ends as it does, what keeps it from ending, and what the source has lacked since, if anything. */
export function errorMessageOf(record: MigrationRecord): string | undefined {
  const parts = [describeEnd(record), findRefusal(record), record.copiesMissing];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

/**
 * Now, while the migration runs: it lives although its record changes seldom. Of an ended one its end: what the guard
 * writes into the record afterwards makes the migration no longer.
 */
export function lastUpdateOf(
  { phase, transitionHistory, lastUpdatedMillis }: MigrationRecord,
  nowMillis: number,
): number {
  if (!isTerminalPhase(phase)) return nowMillis;
  return transitionHistory.at(-1)?.startTimeMillis ?? lastUpdatedMillis;
}
