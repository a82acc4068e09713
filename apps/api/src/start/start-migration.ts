import { AoscError, type MigrationRecord } from '@aosc/contract';
import type { ApiDependencies } from '../dependencies';
import { payHourly } from '../limits/limits';
import { wake } from '../wake';
import type { Caller } from './caller';
import { requirePermittedQuery } from './check-content';
import { indexInUse } from './check-indices';
import { checkRequest, requireAccess, usualTrial } from './check-request';
import { Checks } from './checks';
import { type CheckedStart, newRecords } from './new-records';
import { readStartRequest } from './start-request';
import { burdenOf, workOf } from './start-shares';

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
    const outcome = await checkRequest(deps, request, { caller, hold, ...trial }, new Checks());
    const { checked = outcome.checks.end(), tried } = outcome;
    return begin(deps, { ...checked, ...(tried && { estimates: tried.estimates }) }, caller);
  });
}

async function begin(deps: ApiDependencies, checked: CheckedStart, caller: Caller): Promise<MigrationRecord> {
  if (caller.isLimited) await payHourly(deps.limits, 'starts', caller.id);
  if (caller.isLimited && checked.files !== undefined) await payHourly(deps.limits, 'targets', caller.id);
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

/** Writes the records. The id must be unique: when it is taken, the start time moves on by a millisecond. */
async function write(
  { store, now }: ApiDependencies,
  checked: CheckedStart,
  caller: Caller,
): Promise<MigrationRecord> {
  const startMillis = now();
  for (let bump = 0; bump <= maxBumps; bump += 1) {
    const { migration, shards } = newRecords(checked, startMillis + bump);
    const outcome = await store.createMigration(migration, shards, checked.call);
    if (outcome.type === 'created') return outcome.migration.record;
    if (outcome.type === 'index_in_use') {
      throw indexInUse(checked.request, outcome.holder.indexName, outcome.holder, caller);
    }
  }
  throw new AoscError('unavailable', 'No free migration id was found; try again');
}
