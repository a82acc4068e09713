import { AoscError, resolveOptions, resolveSettings, type Settings } from '@aosc/contract';
import { selectRoutingMode } from '@aosc/domain';
import { type Call, type IndexDescription, isClusterError, repeatTransient } from '@aosc/engine';
import { findRecordsBlock, systemClock } from '@aosc/runtime';
import type { ApiDependencies } from '../dependencies';
import type { Hold } from '../limits/admission';
import type { Caller } from './caller';
import { checkAliasFilter, findAliasProblems, requireAliasOnSource } from './check-alias';
import { checkBuckets, checkLimitedOptions, checkMigrationShare } from './check-limits';
import { checkDistribution, checkSnapshots, checkPrivileges } from './check-capabilities';
import { checkTargetEmpty, checkValidationQuery } from './check-content';
import { checkNotInUse, describeIndex } from './check-indices';
import { checkOpenSnapshots } from './check-open-snapshots';
import { checkPipelines } from './check-pipelines';
import {
  findSettingProblems,
  findUnreadyPrimaries,
  findSourceFieldProblems,
  checkConsent,
  findTopologyProblems,
} from './check-readiness';
import { checkTransform } from './check-transform';
import type { Checks, StartContext } from './checks';
import { planFiles } from './files/plan-files';
import type { CheckedStart } from './new-records';
import { findTransientProblems } from './option-problems';
import { findUnknownSettings } from './permitted-settings';
import { lookAtDocuments, type Looked, type Tried } from './plan/look-at-documents';
import { lookFurther } from './plan/look-further';
import { requireUnchanged, see, type Seen } from './plan/seen';
import type { StartRequest } from './start-request';

/** Documents that are tried, and seconds to read, where the caller does not say. */
export const usualTrial = { documents: 1_000, seconds: 3 };

interface Asking {
  readonly caller: Caller;
  /** keeps the caller's units until the cluster is done with a script */
  readonly hold: Hold;
  /** fires when the caller no longer waits for the answer */
  readonly gone: AbortSignal;
  /** of a plan, or a rehearsal: how many documents to try, and for how long to read */
  readonly trial?: { readonly documents: number; readonly seconds: number };
}

/** What the checks of a start have found. */
interface Outcome {
  readonly checks: Checks;
  /** undefined: the start is refused */
  readonly checked: CheckedStart | undefined;
  /** what a plan is made of; undefined: no plan was asked for, or its source is not there */
  readonly seen: Seen | undefined;
  /** where documents were tried */
  readonly tried?: Tried | undefined;
}

/**
 * Asks the cluster whether the start can work.
 * @param before what was found so far: when a look fails for a moment, all that comes after it is repeated
 * @throws AoscError the first refusal, unless `before` collects all of them
 */
export async function checkRequest(
  deps: ApiDependencies,
  request: StartRequest,
  asking: Asking,
  before: Checks,
): Promise<Outcome> {
  const call = deps.newStartCall();
  // Nothing is written up to here, and a primary that moves is away for a moment.
  const { looked, ...outcome } = await repeatTransient(
    () => checkOnce(deps, request, asking, { checks: before.copy(), call }),
    systemClock,
    call.signal,
  );
  const { checks, seen } = outcome;
  if (checks.purpose === 'plan' || !checks.refused) {
    await checks.attempt('service.queue', () => requireRedis(deps));
    await checks.attempt('service.records', () => requireRecords(deps, call));
  }
  const { trial } = asking;
  const tried = looked && seen && trial && (await lookAtDocuments(deps, { ...looked, seen, trial }, checks));
  return { ...outcome, tried };
}

async function checkOnce(
  deps: ApiDependencies,
  request: StartRequest,
  { caller, hold, gone }: Asking,
  { checks, call }: { readonly checks: Checks; readonly call: Call },
): Promise<Outcome & { readonly looked?: Omit<Looked, 'seen' | 'trial'> }> {
  // Where the service may not even look, the refusal names all missing privileges, not only the first.
  const explained = async (error: unknown): Promise<never> => {
    if (isClusterError(error, 'forbidden')) await checkPrivileges(deps, request, call);
    throw error;
  };
  const describe = (role: 'source' | 'target') =>
    checks.attempt(`${role}.index`, () =>
      describeIndex(deps, { role, name: request[role] }, caller, call).catch(explained),
    );
  await checks.attempt('cluster.kind', () => checkDistribution(deps, call).catch(explained));
  const source = await describe('source');
  const { copy } = request.options ?? {};
  await checks.attempt('service.privileges', () => checkPrivileges(deps, request, call));
  await checks.attempt('indices.in_use', () => checkNotInUse(deps, request, caller, call));
  const settings = await readSettings(deps, call);
  const options = resolveOptions(request.options, settings);
  if (source === undefined) return { checks, checked: undefined, seen: undefined };
  await checks.attempt('options.permitted', () =>
    checkOptions({ request, source, options, settings }, caller),
  );
  const ofSource = { request, options, source, call };
  const planned =
    copy === undefined || copy === 'documents'
      ? undefined
      : await checks.attempt('target.files', () => planFilesOrSay(deps, ofSource, caller));
  const made = typeof planned === 'object' ? planned : undefined;
  const existing = copy === 'files' || made !== undefined ? undefined : await describe('target');
  const isPlanned = checks.purpose === 'plan' || request.plan !== undefined || options.rehearse === true;
  const seen = isPlanned ? await see(deps, ofSource) : undefined;
  if (seen !== undefined) await checks.attempt('plan.unchanged', () => requireUnchanged(request.plan, seen));
  const readRouting = (index: IndexDescription | undefined) =>
    index && deps.cluster.index(index.index).state.readRouting(call);
  const [sourceRouting, targetRouting] = await Promise.all([readRouting(source), readRouting(existing)]);
  const target = made?.target ?? existing;
  const looks = { ...ofSource, target: existing, files: made?.files, caller };
  const further = async () =>
    checks.purpose === 'plan' && seen && lookFurther(deps, { ...looks, seen }, checks);
  if (target === undefined || sourceRouting === undefined) {
    checks.refuseTogether([['alias.free', await findAliasProblems(deps, ofSource, caller)]]);
    await checks.attempt('alias.on_source', () => requireAliasOnSource(ofSource, caller));
    await further();
    return { checks, checked: undefined, seen };
  }
  const context = { ...ofSource, target, sourceRouting, targetRouting, files: made?.files };
  const mode = selectRoutingMode(source.shardCount, target.shardCount);
  await checks.attempt('shards.consent', () =>
    checkConsent(mode, source.shardCount, target.shardCount, options.acceptDataLossIfCustomRoutingIsUsed),
  );
  checks.refuseTogether([
    ['shards.primaries', await findUnreadyPrimaries(deps, context)],
    ['alias.free', await findAliasProblems(deps, context, caller)],
    ['shards.topology', findTopologyProblems(source, target)],
    ...findSettingProblems(context),
    ['index.source_field', await findSourceFieldProblems(deps, context)],
  ]);
  await checks.attempt('alias.filter', () => checkAliasFilter(deps, context));
  await checks.attempt('cluster.snapshots', () => checkSnapshots(deps, context));
  await checks.attempt('cluster.buckets', () => checkBuckets(deps, context));
  const transform = await checks.attempt('script.runs', () => checkTransform(deps, context, hold));
  await checks.attempt('target.empty', () => checkTargetEmpty(deps, context));
  await checks.attempt('query.counts', () => checkValidationQuery(deps, context, caller));
  await checks.attempt('limits.migrations', () => checkMigrationShare(deps, caller, call));
  await checks.attempt('cluster.snapshot_room', () => checkOpenSnapshots(deps, context, caller));
  await checks.attempt('target.pipelines', () => checkPipelines(deps, context));
  await checks.attempt('alias.on_source', () => requireAliasOnSource(context, caller));
  await further();
  const documentsBecause = typeof planned === 'string' ? { documentsBecause: planned } : {};
  const checked = { ...context, transform, mode, who: caller.who, ...documentsBecause };
  const looked = { ...ofSource, settings, transform, caller, hold, gone };
  return { checks, checked: checks.refused ? undefined : checked, seen, looked };
}

/** Where files are but a wish, what is against them decides for documents. */
async function planFilesOrSay(
  deps: ApiDependencies,
  ofSource: Parameters<typeof planFiles>[1],
  caller: Caller,
) {
  const { request, call } = ofSource;
  const plan = planFiles(deps, ofSource, caller);
  if (request.options?.copy === 'files') return plan;
  const withRights = plan.then(async (files) => {
    await checkPrivileges(deps, request, call, true);
    return files;
  });
  return withRights.catch(reasonAgainstFiles);
}

function reasonAgainstFiles(error: unknown): string {
  const isAnswer = error instanceof AoscError && ['precondition_failed', 'conflict'].includes(error.code);
  if (!isAnswer) throw error;
  return error.message;
}

/** Checks access to what the body names. @throws AoscError forbidden */
export function requireAccess(request: StartRequest, caller: Caller): void {
  caller.requireIndex(request.target);
  caller.requireAlias(request.alias);
  if (request.script !== undefined) requireTransform(caller);
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

async function readSettings({ store }: Pick<ApiDependencies, 'store'>, call: Call): Promise<Settings> {
  const stored = await store.readSettings(call);
  return resolveSettings(stored?.record.persistent, stored?.record.transient);
}

/**
 * The request's options over the cluster's settings, whose transient settings are checked like a request's.
 * @throws AoscError illegal_argument, forbidden
 */
function checkOptions(
  {
    request,
    source,
    options,
    settings,
  }: Pick<StartContext, 'request' | 'source' | 'options'> & { readonly settings: Settings },
  caller: Caller,
): void {
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

async function requireRecords(
  { findWriteBlocks }: Pick<ApiDependencies, 'findWriteBlocks'>,
  call: Call,
): Promise<void> {
  const block = await findRecordsBlock(findWriteBlocks, call);
  if (block !== undefined) throw new AoscError('unavailable', `Nothing was started: ${block}`);
}
