import { type Call, isClusterError } from '@aosc/engine';
import { systemIndex } from '@aosc/store';
import type { ApiDependencies } from '../dependencies';
import { findRestrictions } from './check-field-security';
import { preconditionFailed } from './check-indices';
import { isAliasName, isIndexName } from './index-names';
import { collectMissing, describeMissing, type Finding, privilegesIn } from './missing-privileges';
import { type NeededRequest, neededRequests } from './needed-privileges';
import type { StartRequest } from './start-request';

type Dependencies = Pick<ApiDependencies, 'cluster' | 'security' | 'logger'>;

/** How long a point in time lives that is opened on trial and can't be closed. */
const trialMs = 10_000;
const probe = { id: 'aosc-probe', routing: 'aosc-probe' } as const;

/**
 * Finds out whether the service's user may do all that a migration does, and whether it sees everything. Nothing is
 * changed by that. On a cluster without the security plugin it costs one call.
 * @throws AoscError precondition_failed: all that is missing in one answer
 */
export async function checkPrivileges(deps: Dependencies, request: StartRequest, call: Call): Promise<void> {
  const { security, logger } = deps;
  const user = await security.readOwnUser(call);
  const { source, target, alias } = request;
  if (user === undefined || ![source, target].every(isIndexName)) return;
  const answers = await security.answersPermissionChecks(call);
  const names = { source, target, alias: isAliasName(alias) ? alias : source };
  const asked = await Promise.all(neededRequests(names).map((needed) => ask(deps, needed, answers, call)));
  const tried = await tryShards(deps, source, target, call);
  const restrictions = await findRestrictions(security, user, [source, target], call);
  const optional = collectMissing(asked.filter((found) => found.optional));
  if (optional.size > 0)
    logger.warn(`${describeMissing(user, optional)}; some waits are longer without them`);
  const needed = asked.filter((found) => !found.optional);
  const missing = collectMissing([...needed, ...tried, ...restrictions.missing]);
  const problems = [...(missing.size > 0 ? [describeMissing(user, missing)] : []), ...restrictions.problems];
  if (problems.length > 0) throw preconditionFailed(problems.join('; '));
}

async function ask(
  { security }: Dependencies,
  { what, index, optional }: NeededRequest,
  answers: boolean,
  call: Call,
): Promise<Finding & { readonly optional: boolean }> {
  const verdict = answers ? await security.askPermission(what, call) : undefined;
  const found = { index, optional: optional === true };
  if (verdict !== undefined) return { ...found, missing: verdict };
  const { method } = what;
  if (method !== 'GET') return { ...found, missing: [] };
  return { ...found, ...(await tryOut(index, () => security.tryRead({ ...what, method }, call))) };
}

/** What can't be asked about is tried: calls that reach the shards and leave nothing behind. */
function tryShards(
  deps: Dependencies,
  source: string,
  target: string,
  call: Call,
): Promise<readonly Finding[]> {
  const openAndClose = async (index: string) => {
    const { state, snapshots } = deps.cluster.index(index);
    const { primaries } = await state.readRouting(call);
    const nodeId = primaries.find(({ shard }) => shard === 0)?.nodeId;
    if (nodeId === undefined) return;
    const snapshot = await snapshots.open({ shard: 0, nodeId }, trialMs, call);
    await snapshots.close([snapshot], call);
  };
  const countOneShard = async (index: string) => {
    const { state } = deps.cluster.index(index);
    const { primaries } = await state.readRouting(call);
    const nodeId = primaries.find(({ shard }) => shard === 0)?.nodeId;
    if (nodeId !== undefined) await state.countCopies([{ shard: 0, nodeId }], undefined, call);
  };
  const getProbe = (index: string) => deps.cluster.index(index).state.getDocuments([probe], call);
  return Promise.all([
    ...[source, target].flatMap((index) => [
      tryOut(index, () => openAndClose(index)),
      tryOut(index, () => deps.cluster.index(index).state.refresh(call)),
    ]),
    tryOut(source, () => getProbe(source)),
    tryOut(undefined, () => countOneShard(source)),
    ...[target, systemIndex].map((index) => tryOut(index, () => getProbe(index))),
    ...[target, systemIndex].flatMap((index) => [tryOut(index, () => deps.security.tryDelete(index, call))]),
  ]);
}

/** Only a refusal counts here: an index that is missing or not ready is told by the checks that come after. */
async function tryOut(index: string | undefined, act: () => Promise<unknown>): Promise<Finding> {
  try {
    await act();
  } catch (error) {
    if (!isClusterError(error)) throw error;
    if (error.kind === 'forbidden') return { index, missing: privilegesIn(error.message) };
  }
  return { index, missing: [] };
}
