import {
  AoscError,
  type MigrationRecord,
  type ResolvedOptions,
  resolveOptions,
  resolveSettings,
} from '@aosc/contract';
import { selectRoutingMode } from '@aosc/domain';
import { type Call, type IndexDescription, isClusterError, repeatTransient } from '@aosc/engine';
import { systemClock } from '@aosc/runtime';
import type { ApiDependencies } from '../dependencies';
import { wake } from '../wake';
import type { Caller } from './caller';
import { findAliasProblems } from './check-alias';
import { checkBuckets } from './check-buckets';
import { checkDistribution, checkSnapshots } from './check-capabilities';
import { checkTargetEmpty, checkValidationQuery, requirePermittedQuery } from './check-content';
import { checkNotInUse, describeIndices, indexInUse, preconditionFailed } from './check-indices';
import { checkLimitedOptions } from './check-limited-options';
import { checkOpenSnapshots } from './check-open-snapshots';
import { findSettingProblems, findUnreadyPrimaries } from './check-readiness';
import { findSourceFieldProblems } from './check-source-field';
import { checkPrivileges } from './check-privileges';
import { checkMigrationShare } from './check-share';
import { checkConsent, findTopologyProblems } from './check-topology';
import { checkTransform } from './check-transform';
import { type CheckedStart, newRecords } from './new-records';
import { findTransientProblems } from './option-problems';
import { findUnknownSettings } from './permitted-settings';
import type { StartContext } from './start-context';
import { readStartRequest, type StartRequest } from './start-request';

/** Milliseconds a start time is moved on when its migration id is taken. */
const maxBumps = 100;

/**
 * Checks a start request (contract details, section 3: all problems of the request in one answer, then the checks
 * of the cluster, of which the first that fails is told) and writes the migration. A rejected start writes nothing.
 * @param gone fires when nobody waits for the answer any more: a start that has not had its turn yet is not begun then
 * @throws AoscError
 */
export async function startMigration(
  deps: ApiDependencies,
  source: string,
  body: unknown,
  caller: Caller,
  gone: AbortSignal,
): Promise<MigrationRecord> {
  caller.requireIndex(source);
  const request = readStartRequest(source, body, deps.hiddenIndices);
  caller.requireIndex(request.target);
  caller.requireAlias(request.alias);
  if (request.script !== undefined) requireTransform(caller);
  requirePermittedQuery(request);
  return deps.startTurns.run(caller, gone, () => start(deps, request, caller));
}

async function start(deps: ApiDependencies, request: StartRequest, caller: Caller): Promise<MigrationRecord> {
  const call = deps.newStartCall();
  // Up to here nothing is written, and a primary that moves is away for a moment.
  const checked = await repeatTransient(() => check(deps, request, caller, call), systemClock, call.signal);
  await requireRedis(deps);
  if (caller.isLimited) deps.limitedUse.starts.take(caller.id);
  const migration = await write(deps, checked, caller);
  deps.logger.info('migration started', {
    event: 'migration_started',
    migration: migration.migrationId,
    phase: migration.phase,
    sourceIndex: migration.sourceIndex,
    targetIndex: migration.targetIndex,
    alias: migration.alias,
    ...(migration.aliasesLeftBehind && { otherAliases: migration.aliasesLeftBehind.join(',') }),
    routingMode: migration.shardRoutingMode,
  });
  await wake(deps, migration);
  return migration;
}

/** Everything that may be in the way of a migration. @throws AoscError, ClusterError */
async function check(
  deps: ApiDependencies,
  request: StartRequest,
  caller: Caller,
  call: Call,
): Promise<CheckedStart> {
  // A service that may not even look is told of all missing privileges, not of the first alone.
  const explained = async (error: unknown): Promise<never> => {
    if (isClusterError(error, 'forbidden')) await checkPrivileges(deps, request, call);
    throw error;
  };
  await checkDistribution(deps, call).catch(explained);
  const indices = await describeIndices(deps, request, caller, call).catch(explained);
  await checkPrivileges(deps, request, call);
  await checkNotInUse(deps, request, caller, call);
  const options = await resolve(deps, request, indices.source, caller, call);
  const mode = selectRoutingMode(indices.source.shardCount, indices.target.shardCount);
  checkConsent(
    mode,
    indices.source.shardCount,
    indices.target.shardCount,
    options.acceptDataLossIfCustomRoutingIsUsed,
  );
  const [sourceRouting, targetRouting] = await Promise.all([
    deps.cluster.index(indices.source.index).state.readRouting(call),
    deps.cluster.index(indices.target.index).state.readRouting(call),
  ]);
  const context: StartContext = { request, options, ...indices, sourceRouting, targetRouting, call };
  await checkPreconditions(deps, context, caller);
  await checkSnapshots(deps, context);
  await checkBuckets(deps, context);
  const transform = await checkTransform(deps, context, caller);
  await checkTargetEmpty(deps, context);
  await checkValidationQuery(deps, context, caller);
  await checkMigrationShare(deps, caller, call);
  await checkOpenSnapshots(deps, context, caller);
  return { ...context, transform, mode, who: caller.who };
}

/**
 * A script runs as code in the cluster, so a credential that is limited to some indices needs more than `operate`.
 * @throws AoscError forbidden
 */
export function requireTransform({ mayTransform, id }: Caller): void {
  if (mayTransform) return;
  throw new AoscError(
    'forbidden',
    `[${id}] may not give a transform_script: it runs as code in the cluster, and this credential is limited to some ` +
      'indices. Its roles must have [transform]',
  );
}

/** The request's options over the cluster's settings. The latter's transient settings are checked like a request's. */
async function resolve(
  deps: ApiDependencies,
  request: StartRequest,
  source: IndexDescription,
  caller: Caller,
  call: Call,
): Promise<ResolvedOptions> {
  const stored = await deps.store.readSettings(call);
  const settings = resolveSettings(stored?.record.persistent, stored?.record.transient);
  const options = resolveOptions(request.options, settings);
  const { transientTargetSettings: defaults } = settings.defaults;
  const unknown = findUnknownSettings(request.options?.transient_target_settings ?? {}, defaults);
  if (unknown.length > 0) throw new AoscError('illegal_argument', unknown.join('; '));
  checkLimitedOptions(request, { source, defaults }, caller);
  const problems = findTransientProblems(options.transientTargetSettings);
  if (problems.length > 0) {
    throw new AoscError(
      'illegal_argument',
      `[aosc.defaults.transient_target_settings] can't be used: ${problems.join('; ')}`,
    );
  }
  return options;
}

async function checkPreconditions(
  deps: ApiDependencies,
  context: StartContext,
  caller: Caller,
): Promise<void> {
  const problems = [
    ...(await findUnreadyPrimaries(deps, context)),
    ...(await findAliasProblems(deps, context, caller)),
    ...findTopologyProblems(context.source, context.target),
    ...findSettingProblems(context),
    ...(await findSourceFieldProblems(deps, context)),
  ];
  if (problems.length > 0) throw preconditionFailed(problems.join('; '));
}

async function requireRedis({ queueClient }: ApiDependencies): Promise<void> {
  let mismatch: string | undefined;
  try {
    await queueClient.ping();
    mismatch = await queueClient.findInstallationMismatch();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AoscError('unavailable', `Redis can't be reached, nothing was started: ${reason}`, { cause });
  }
  if (mismatch !== undefined) throw new AoscError('unavailable', `Nothing was started: ${mismatch}`);
}

/** Writes the records. The id is unique: when it is taken, the start time moves on by a millisecond. */
async function write(
  { store, now }: ApiDependencies,
  context: CheckedStart,
  caller: Caller,
): Promise<MigrationRecord> {
  const startMillis = now();
  for (let bump = 0; bump <= maxBumps; bump += 1) {
    const { migration, shards } = newRecords(context, startMillis + bump);
    const outcome = await store.createMigration(migration, shards, context.call);
    if (outcome.type === 'created') return outcome.migration.record;
    if (outcome.type === 'index_in_use') {
      throw indexInUse(context.request, outcome.holder.indexName, outcome.holder, caller);
    }
  }
  throw new AoscError('unavailable', 'No free migration id was found; try again');
}
