import {
  AoscError,
  type MigrationRecord,
  asObject,
  createBodyReader,
  type PlanAnswer,
  PlanTrialSchema,
  type StartCheck,
} from '@aosc/contract';
import { setsAside } from '@aosc/domain';
import { aliasesLeftBehind } from '@aosc/engine';
import type { Caller } from './caller';
import { checkPrivileges } from './check-capabilities';
import { requirePermittedQuery } from './check-content';
import { indexInUse } from './check-indices';
import { checkRequest, requireAccess, usualTrial } from './check-request';
import { Checks } from './checks';
import { type CheckedStart, newRecords } from './new-records';
import { readStartRequest, examineStartRequest, type StartRequest } from './start-request';
import { burdenOf, workOf } from './start-shares';
import { shownAliases } from '../auth/principal';
import type { ApiDependencies } from '../dependencies';
import { payHourly } from '../limits/limits';
import { wake } from '../wake';

/** How many milliseconds the start time may move forward while its migration id is taken. */
const maxBumps = 100;

/**
 * Checks a start request and writes the migration (contract details, section 3). One answer reports all problems of the
 * request itself; of the checks of the cluster it reports the first that fails. A rejected start writes nothing.
 * @param gone fires when the caller has gone away: a start that still waits for its turn does not begin then
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
  requireAccess(request, caller);
  requirePermittedQuery(request, caller);
  return deps.admission.run(workOf(caller, burdenOf(request), gone), async (hold) => {
    const trial = request.options?.rehearse === true && { trial: usualTrial };
    const outcome = await checkRequest(deps, request, { caller, hold, gone, ...trial }, new Checks());
    const { checked = outcome.checks.end(), tried } = outcome;
    return begin(deps, { ...checked, ...(tried && { estimates: tried.estimates }) }, caller);
  });
}

async function begin(deps: ApiDependencies, checked: CheckedStart, caller: Caller): Promise<MigrationRecord> {
  if (caller.isLimited) await payHourly(deps.limits, 'starts', caller.id);
  if (caller.isLimited && checked.files !== undefined) await payHourly(deps.limits, 'targets', caller.id);
  if (setsAside(checked)) {
    await deps.refused.ensure(checked.call);
    // What reaches the shards can only be tried where the index is there.
    await checkPrivileges(deps, checked.request, checked.call);
  }
  const migration = await write(deps, checked, caller);
  deps.logger.info('migration started', {
    event: 'migration_started',
    migration: migration.migrationId,
    phase: migration.phase,
    sourceIndex: migration.sourceIndex,
    targetIndex: migration.targetIndex,
    alias: migration.alias,
    ...(migration.aliasesLeftBehind && { otherAliases: migration.aliasesLeftBehind.join(',') }),
    routingMode: checked.mode,
    ...(checked.documentsBecause !== undefined && { reason: checked.documentsBecause }),
  });
  await wake(deps, migration);
  return migration;
}

/**
 * Writes the records. The id must be unique: when it is taken, the start time moves on by a millisecond. The newest
 * migration of a source is the one with the latest start time, also when another process, whose clock was ahead, has
 * started an older one.
 */
async function write(
  { store, now }: ApiDependencies,
  checked: CheckedStart,
  caller: Caller,
): Promise<MigrationRecord> {
  const wanted = { sourceIndex: checked.source.index, size: 1 };
  const [newest] = (await store.listMigrations(wanted, checked.call)).migrations;
  const nowMillis = now();
  const startMillis = Math.max(nowMillis, (newest?.startTimeMillis ?? 0) + 1);
  for (let bump = 0; bump <= maxBumps; bump += 1) {
    const { migration, shards } = newRecords(checked, { startMillis: startMillis + bump, nowMillis });
    const outcome = await store.createMigration(migration, shards, checked.call);
    if (outcome.type === 'created') return outcome.migration.record;
    if (outcome.type === 'index_in_use') {
      throw indexInUse(checked.request, outcome.holder.indexName, outcome.holder, caller);
    }
  }
  throw new AoscError('unavailable', 'No free migration id was found; try again');
}

const readTrial = createBodyReader(PlanTrialSchema);

interface Asked {
  readonly source: string;
  readonly body: unknown;
  readonly caller: Caller;
  /** fires when the caller has gone away */
  readonly gone: AbortSignal;
}

/**
 * The dry run of a start: everything that a start checks, and nothing of what it writes.
 * @throws AoscError with every refusal as a root cause
 */
export async function checkStart(deps: ApiDependencies, asked: Asked): Promise<StartCheck> {
  const { request, checks, checked } = await checkAll(deps, asked, new Checks('dry_run'));
  if (checked === undefined) return checks.end();
  const { aliasesLeftBehind: left } = aliasesLeftBehind(checked.source, request.alias);
  const { mode, documentsBecause } = checked;
  return {
    dry_run: true,
    source_index: request.source,
    target_index: request.target,
    alias: request.alias,
    shard_routing_mode: mode,
    ...(left && { aliases_left_behind: shownAliases(asked.caller, left) }),
    ...(documentsBecause !== undefined && { documents_because: documentsBecause }),
  };
}

/**
 * All checks of a start and the further looks of a plan, with their verdicts.
 * @throws AoscError where the names or the source leave nothing to look at
 */
export async function planStart(deps: ApiDependencies, asked: Asked): Promise<PlanAnswer> {
  const { documents, seconds, ...body } = asObject(asked.body);
  const { documents: size = usualTrial.documents, seconds: time = usualTrial.seconds } = readTrial({
    documents,
    seconds,
  });
  const trial = { documents: size, seconds: time };
  const {
    request,
    checks: found,
    seen,
    tried,
  } = await checkAll(deps, { ...asked, body }, new Checks('plan'), trial);
  if (seen?.source === undefined) return found.end();
  const checks = [...found.list()];
  const worst = (['refuse', 'warn'] as const).find((verdict) =>
    checks.some((one) => one.verdict === verdict),
  );
  return {
    plan_id: seen.planId,
    source_index: request.source,
    target_index: request.target,
    alias: request.alias,
    verdict: worst ?? 'ok',
    checks,
    differences: [...(seen.compared?.changes ?? [])],
    differences_truncated: seen.compared?.truncated ?? false,
    ...tried,
  };
}

async function checkAll(
  deps: ApiDependencies,
  { source, body, caller, gone }: Asked,
  checks: Checks,
  trial?: { readonly documents: number; readonly seconds: number },
) {
  caller.requireIndex(source);
  const { request, problems, hasNames } = examineStartRequest(source, body, deps.hiddenIndices);
  checks.refuse(
    'request.form',
    problems.map((problem) => new AoscError('validation_failed', problem)),
  );
  if (!hasNames) return checks.end();
  requireAccess(request, caller);
  const permitted = await checks.attempt('query.permitted', () => requirePermittedQuery(request, caller));
  const sent = permitted ?? withoutQuery(request);
  const burden = burdenOf(sent, trial !== undefined && trial.documents > 0);
  return deps.admission.run(workOf(caller, burden, gone), async (hold) => {
    return {
      request,
      ...(await checkRequest(deps, sent, { caller, hold, gone, ...(trial && { trial }) }, checks)),
    };
  });
}

/** A query that may not run is sent nowhere: it would run with the service's rights. */
function withoutQuery(request: StartRequest): StartRequest {
  const { validation_query: _refused, ...options } = request.options ?? {};
  return { ...request, options };
}
