import {
  filesSchemaVersion,
  type MigrationRecord,
  type PlanAnswer,
  recordSchemaVersion,
  type Rehearsal,
  type RoutingMode,
  type ShardRecord,
} from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { aliasesLeftBehind } from '@aosc/engine';
import { migrationKey } from '@aosc/store';
import type { StartContext } from './checks';

/** A start that has passed all checks, with what they have found out. */
export interface CheckedStart extends StartContext {
  readonly transform: MigrationRecord['transform'];
  readonly mode: RoutingMode;
  /** why documents are copied although files were to be taken where they can be */
  readonly documentsBecause?: string;
  /** kind and name of the credential; undefined: the API asks for none */
  readonly who: string | undefined;
  /** of a rehearsal, where documents could be tried */
  readonly estimates?: PlanAnswer['estimates'];
}

/**
 * The records of a migration that begins now: active, every shard pending.
 * @param startMillis orders the migrations of a source; above `nowMillis` where another process's clock was ahead. What
 *   the service measures goes by `nowMillis`
 */
export function newRecords(
  {
    source,
    target,
    files,
    request,
    options,
    sourceRouting,
    transform,
    mode,
    who,
    estimates = {},
  }: CheckedStart,
  { startMillis, nowMillis }: { readonly startMillis: number; readonly nowMillis: number },
): { readonly migration: MigrationRecord; readonly shards: readonly ShardRecord[] } {
  const migrationId = `${source.index}__${target.index}__${startMillis}`;
  const key = migrationKey(migrationId);
  const migration: MigrationRecord = {
    kind: 'migration',
    schemaVersion: files === undefined ? recordSchemaVersion : filesSchemaVersion,
    key,
    migrationId,
    sourceIndex: source.index,
    targetIndex: target.index,
    alias: request.alias,
    ...aliasesLeftBehind(source, request.alias),
    ...(who !== undefined && { startedBy: who }),
    phase: 'ACTIVE',
    shardRoutingMode: mode,
    sourceShardCount: source.shardCount,
    targetShardCount: target.shardCount,
    startTimeMillis: startMillis,
    lastUpdatedMillis: nowMillis,
    options,
    ...(transform === undefined || request.script === undefined
      ? {}
      : { transform, transformScript: shownScript(request.script) }),
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis: nowMillis }],
    waits: [],
    clusterUuid: sourceRouting.clusterUuid,
    sourceUuid: source.uuid,
    targetUuid: target.uuid,
    ...(files !== undefined && { files }),
    ...(options.rehearse === true && { rehearsal: { estimated: toEstimated(estimates) } }),
    sourceRouting: {
      routingShardCount: source.routingShardCount,
      partitionSize: source.routingPartitionSize,
    },
    targetPrepared: false,
    targetRestored: false,
    commitRequested: false,
    tokenTaken: false,
    committed: false,
  };
  const shards = Array.from({ length: source.shardCount }, (_, shard) =>
    newShardRecord(key, shard, nowMillis),
  );
  return { migration, shards };
}

function toEstimated({
  documents,
  seconds,
  pause_ms: pause,
}: NonNullable<CheckedStart['estimates']>): NonNullable<Rehearsal['estimated']> {
  return {
    ...(documents && { documents: documents.value }),
    ...(seconds && { seconds: seconds.value }),
    ...(pause && { pauseMs: pause.value }),
  };
}

/** `transform_script` of the status, with the defaults filled in. */
function shownScript(
  script: NonNullable<StartContext['request']['script']>,
): NonNullable<MigrationRecord['transformScript']> {
  const {
    script_context: scriptContext = 'update',
    apply_to_deletes: applyToDeletes = false,
    ...rest
  } = script;
  return { ...rest, scriptContext, applyToDeletes };
}
