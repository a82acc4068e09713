import { type Call, type ClusterPorts, type IndexPorts, isClusterError, type ShardCopy } from '@aosc/engine';
import type { SecurityPort } from '@aosc/opensearch';
import { refusedIndex, systemIndex } from '@aosc/store';
import { findRestrictions } from './find-restrictions';
import { collectMissing, type Finding, privilegesIn } from './missing-privileges';
import { type NeededRequest, neededRequests } from './needed-requests';

interface PrivilegePorts {
  readonly cluster: ClusterPorts;
  readonly security: SecurityPort;
}

/** How long a trial point in time lives if it can't be closed. */
const trialMs = 10_000;
const probe = { id: 'aosc-probe', routing: 'aosc-probe' } as const;

/**
 * Finds out whether the service's user may do all that a migration does, and whether it sees everything. It changes
 * nothing. On a cluster without the security plugin it costs one call.
 * @param names of a source, a target and an alias that are valid names
 * @returns undefined on a cluster without the security plugin, where every user may do everything
 */
export async function examinePrivileges(
  ports: PrivilegePorts,
  names: Parameters<typeof neededRequests>[0],
  call: Call,
) {
  const { security } = ports;
  const user = await security.readOwnUser(call);
  if (user === undefined) return undefined;
  const { source, target } = names;
  const answers = await security.answersPermissionChecks(call);
  const asked = await Promise.all(neededRequests(names).map((needed) => ask(ports, needed, answers, call)));
  const kept = names.setsAside === true ? [refusedIndex] : [];
  const tried = await tryShards(ports, { source, target, kept }, call);
  const restrictions = await findRestrictions(security, user, [source, target], call);
  const needed = asked.filter((found) => !found.optional);
  return {
    user,
    /** a migration needs them */
    missing: collectMissing([...needed, ...tried, ...restrictions.missing]),
    /** a migration goes on without them, only slower */
    optional: collectMissing(asked.filter((found) => found.optional)),
    /** rules that hide data from the user */
    restrictions: restrictions.problems,
  };
}

async function ask(
  { security }: PrivilegePorts,
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

/** Tries what a permission check can't answer: calls that reach the shards and leave nothing behind. */
function tryShards(
  ports: PrivilegePorts,
  {
    source,
    target,
    kept,
  }: { readonly source: string; readonly target: string; readonly kept: readonly string[] },
  call: Call,
): Promise<readonly Finding[]> {
  const onOneShard = async (index: string, act: (ports: IndexPorts, copy: ShardCopy) => Promise<unknown>) => {
    const indexPorts = ports.cluster.index(index);
    const { primaries } = await indexPorts.state.readRouting(call);
    const nodeId = primaries.find(({ shard }) => shard === 0)?.nodeId;
    if (nodeId !== undefined) await act(indexPorts, { shard: 0, nodeId });
  };
  const openAndClose = (index: string) =>
    onOneShard(index, async ({ snapshots }, copy) => {
      await snapshots.close([await snapshots.open(copy, trialMs, call)], call);
    });
  const countOneShard = (index: string) =>
    onOneShard(index, ({ state }, copy) => state.countCopies([copy], undefined, call));
  const getProbe = (index: string) => ports.cluster.index(index).state.getDocuments([probe], call);
  return Promise.all([
    ...[source, target].map((index) => tryOut(index, () => openAndClose(index))),
    ...[source, target, ...kept].map((index) =>
      tryOut(index, () => ports.cluster.index(index).state.refresh(call)),
    ),
    tryOut(source, () => getProbe(source)),
    tryOut(undefined, () => countOneShard(source)),
    ...[target, systemIndex].map((index) => tryOut(index, () => getProbe(index))),
    ...[target, systemIndex, ...kept].map((index) =>
      tryOut(index, () => ports.security.tryDelete(index, call)),
    ),
  ]);
}

/** Only a refusal counts here: later checks report an index that is missing or not ready. */
async function tryOut(index: string | undefined, act: () => Promise<unknown>): Promise<Finding> {
  try {
    await act();
  } catch (error) {
    if (!isClusterError(error)) throw error;
    if (error.kind === 'forbidden') return { index, missing: privilegesIn(error.message) };
  }
  return { index, missing: [] };
}
