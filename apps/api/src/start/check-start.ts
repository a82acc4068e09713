import { AoscError, type StartCheck } from '@aosc/contract';
import { aliasesLeftBehind } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { requirePermittedQuery } from './check-content';
import { checkRequest, requireAccess } from './check-request';
import { Refusals } from './refusals';
import { examineStartRequest, type StartRequest } from './start-request';
import { burdenOf, workOf } from './start-shares';

/**
 * The dry run of a start: everything that a start checks, and nothing of what it writes.
 * @param gone fires when the caller has gone away
 * @throws AoscError with every refusal as a root cause
 */
export async function checkStart(
  deps: ApiDependencies,
  source: string,
  body: unknown,
  caller: Caller,
  gone: AbortSignal,
): Promise<StartCheck> {
  caller.requireIndex(source);
  const { request, problems, hasNames } = examineStartRequest(source, body, deps.hiddenIndices);
  const refusals = new Refusals('all');
  for (const problem of problems) refusals.add(new AoscError('validation_failed', problem));
  if (!hasNames) return refusals.end();
  requireAccess(request, caller);
  const sent =
    (await refusals.attempt(() => requirePermittedQuery(request, caller))) ?? withoutQuery(request);
  return deps.admission.run(workOf(caller, burdenOf(sent), gone), async (hold) => {
    const {
      source: described,
      mode,
      documentsBecause,
    } = await checkRequest(deps, sent, { caller, hold }, () => refusals.copy());
    const { aliasesLeftBehind: left } = aliasesLeftBehind(described, request.alias);
    return {
      dry_run: true,
      source_index: request.source,
      target_index: request.target,
      alias: request.alias,
      shard_routing_mode: mode,
      ...(left && { aliases_left_behind: left }),
      ...(documentsBecause !== undefined && { documents_because: documentsBecause }),
    };
  });
}

/** A query that may not run is sent nowhere: it would run with the service's rights. */
function withoutQuery(request: StartRequest): StartRequest {
  const { validation_query: _refused, ...options } = request.options ?? {};
  return { ...request, options };
}
