import type { Call } from '@aosc/engine';
import { describeMissing, examinePrivileges } from '@aosc/runtime';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import { isAliasName, isIndexName } from './index-names';
import type { StartRequest } from './start-request';

type Dependencies = Pick<ApiDependencies, 'cluster' | 'security' | 'logger'>;

/**
 * Checks whether the service's user may do all that a migration does, and whether it sees all documents and fields.
 * @throws AoscError precondition_failed: all that is missing in one answer
 */
export async function checkPrivileges(deps: Dependencies, request: StartRequest, call: Call): Promise<void> {
  const { source, target, alias, options } = request;
  const byFiles = options?.copy === 'files' || options?.copy === 'auto';
  if (![source, target].every(isIndexName)) return;
  const report = await examinePrivileges(
    deps,
    { source, target, alias: isAliasName(alias) ? alias : source, byFiles },
    call,
  );
  if (report === undefined) return;
  const { user, missing, optional, restrictions } = report;
  if (optional.size > 0)
    deps.logger.warn(`${describeMissing(user, optional)}; some waits are longer without them`);
  const problems = [...(missing.size > 0 ? [describeMissing(user, missing)] : []), ...restrictions];
  if (problems.length > 0) throw preconditionFailed(problems.join('; '));
}
