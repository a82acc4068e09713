import {
  AoscError,
  asObject,
  createBodyReader,
  type PlanAnswer,
  PlanTrialSchema,
  type StartCheck,
} from '@aosc/contract';
import { aliasesLeftBehind } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { requirePermittedQuery } from './check-content';
import { checkRequest, requireAccess, usualTrial } from './check-request';
import { Checks } from './checks';
import { examineStartRequest, type StartRequest } from './start-request';
import { burdenOf, workOf } from './start-shares';

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
    ...(left && { aliases_left_behind: left }),
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
  return deps.admission.run(
    workOf(caller, { ...burdenOf(sent), creation: trial !== undefined && trial.documents > 0 }, gone),
    async (hold) => {
      return {
        request,
        ...(await checkRequest(deps, sent, { caller, hold, ...(trial && { trial }) }, checks)),
      };
    },
  );
}

/** A query that may not run is sent nowhere: it would run with the service's rights. */
function withoutQuery(request: StartRequest): StartRequest {
  const { validation_query: _refused, ...options } = request.options ?? {};
  return { ...request, options };
}
