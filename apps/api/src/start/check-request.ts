import { AoscError, resolveOptions, resolveSettings, type Settings } from '@aosc/contract';
import { selectRoutingMode } from '@aosc/domain';
import { type Call, type IndexDescription, isClusterError, repeatTransient } from '@aosc/engine';
import { findRecordsBlock, systemClock } from '@aosc/runtime';
import type { ApiDependencies } from '../dependencies';
import type { Hold } from '../limits/admission';
import type { Caller } from './caller';
import { checkAliasFilter, findAliasProblems, requireAliasOnSource } from './check-alias';
import { checkBuckets } from './check-buckets';
import { checkDistribution, checkSnapshots } from './check-capabilities';
import { checkTargetEmpty, checkValidationQuery } from './check-content';
import { checkNotInUse, describeIndex } from './check-indices';
import { checkLimitedOptions } from './check-limited-options';
import { checkOpenSnapshots } from './check-open-snapshots';
import { findSettingProblems, findUnreadyPrimaries } from './check-readiness';
import { findSourceFieldProblems } from './check-source-field';
import { checkPrivileges } from './check-privileges';
import { checkMigrationShare } from './check-share';
import { checkConsent, findTopologyProblems } from './check-topology';
import { checkTransform } from './check-transform';
import { type FilesPlan, planFiles } from './files/plan-files';
import type { CheckedStart } from './new-records';
import { findTransientProblems } from './option-problems';
import { findUnknownSettings } from './permitted-settings';
import type { Refusals } from './refusals';
import type { StartContext } from './start-context';
import type { StartRequest } from './start-request';

interface Asking {
  readonly caller: Caller;
  /** keeps the caller's units until the cluster is done with a script */
  readonly hold: Hold;
}

/**
 * Asks the cluster whether the start can work.
 * @param newRefusals what has been refused so far: when a look fails for a moment, all of it is repeated
 * @throws AoscError the first refusal, or in a dry run all of them
 */
export async function checkRequest(
  deps: ApiDependencies,
  request: StartRequest,
  asking: Asking,
  newRefusals: () => Refusals,
): Promise<CheckedStart> {
  const call = deps.newStartCall();
  // Nothing is written up to here, and a primary that moves is away for a moment.
  const checked = await repeatTransient(
    () => checkOnce(deps, request, asking, { refusals: newRefusals(), call }),
    systemClock,
    call.signal,
  );
  await requireRedis(deps);
  const block = await findRecordsBlock(deps.findWriteBlocks, call);
  if (block !== undefined) throw new AoscError('unavailable', `Nothing was started: ${block}`);
  return checked;
}

async function checkOnce(
  deps: ApiDependencies,
  request: StartRequest,
  { caller, hold }: Asking,
  { refusals, call }: { readonly refusals: Refusals; readonly call: Call },
): Promise<CheckedStart> {
  // Where the service may not even look, the refusal names all missing privileges, not only the first.
  const explained = async (error: unknown): Promise<never> => {
    if (isClusterError(error, 'forbidden')) await checkPrivileges(deps, request, call);
    throw error;
  };
  const describe = (role: 'source' | 'target') =>
    refusals.attempt(() => describeIndex(deps, { role, name: request[role] }, caller, call).catch(explained));
  await refusals.attempt(() => checkDistribution(deps, call).catch(explained));
  const source = await describe('source');
  const { copy } = request.options ?? {};
  await refusals.attempt(() => checkPrivileges(deps, request, call));
  await refusals.attempt(() => checkNotInUse(deps, request, caller, call));
  const settings = await readSettings(deps, call);
  const options = resolveOptions(request.options, settings);
  if (source !== undefined) {
    await refusals.attempt(() => checkOptions({ request, source, options, settings }, caller));
  }
  const common = { request, options, call };
  const plan = async (): Promise<FilesPlan | string | undefined> => {
    if (source === undefined || copy === undefined || copy === 'documents') return undefined;
    const planned = planFiles(deps, { ...common, source }, caller);
    return copy === 'files' ? planned : planned.catch(reasonAgainstFiles);
  };
  const planned = await refusals.attempt(plan);
  const made = typeof planned === 'object' ? planned : undefined;
  const existing = copy === 'files' || made !== undefined ? undefined : await describe('target');
  const readRouting = (index: IndexDescription | undefined) =>
    index && deps.cluster.index(index.index).state.readRouting(call);
  const [sourceRouting, targetRouting] = await Promise.all([readRouting(source), readRouting(existing)]);
  const target = made?.target ?? existing;
  if (source === undefined || target === undefined || sourceRouting === undefined) {
    if (source !== undefined) {
      refusals.refuse(await findAliasProblems(deps, { ...common, source }, caller));
      await refusals.attempt(() => requireAliasOnSource({ request, source }, caller));
    }
    return refusals.end();
  }
  const context: StartContext = {
    ...common,
    source,
    target,
    sourceRouting,
    targetRouting,
    files: made?.files,
  };
  const mode = selectRoutingMode(source.shardCount, target.shardCount);
  await refusals.attempt(() =>
    checkConsent(mode, source.shardCount, target.shardCount, options.acceptDataLossIfCustomRoutingIsUsed),
  );
  refusals.refuse(await findPreconditionProblems(deps, context, caller));
  await refusals.attempt(() => checkAliasFilter(deps, context));
  await refusals.attempt(() => checkSnapshots(deps, context));
  await refusals.attempt(() => checkBuckets(deps, context));
  const transform = await refusals.attempt(() => checkTransform(deps, context, hold));
  await refusals.attempt(() => checkTargetEmpty(deps, context));
  await refusals.attempt(() => checkValidationQuery(deps, context, caller));
  await refusals.attempt(() => checkMigrationShare(deps, caller, call));
  await refusals.attempt(() => checkOpenSnapshots(deps, context, caller));
  await refusals.attempt(() => requireAliasOnSource(context, caller));
  if (refusals.any) return refusals.end();
  const documentsBecause = typeof planned === 'string' ? { documentsBecause: planned } : {};
  return { ...context, transform, mode, who: caller.who, ...documentsBecause };
}

/** Where files are but a wish, what is against them decides for documents. */
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

async function findPreconditionProblems(
  deps: ApiDependencies,
  context: StartContext,
  caller: Caller,
): Promise<readonly string[]> {
  return [
    ...(await findUnreadyPrimaries(deps, context)),
    ...(await findAliasProblems(deps, context, caller)),
    ...findTopologyProblems(context.source, context.target),
    ...findSettingProblems(context),
    ...(await findSourceFieldProblems(deps, context)),
  ];
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
