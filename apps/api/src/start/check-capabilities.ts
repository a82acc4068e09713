import { AoscError } from '@aosc/contract';
import {
  type Call,
  type ClusterError,
  ignoreClusterErrors,
  isClusterError,
  repeatTransient,
  type SnapshotPort,
} from '@aosc/engine';
import { systemClock, describeMissing, examinePrivileges } from '@aosc/runtime';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './checks';
import { isAliasName, isIndexName } from './name-problems';
import type { StartRequest } from './start-request';
import type { ApiDependencies } from '../dependencies';

const keepAliveLimit = 'point_in_time.max_keep_alive';
/** keep-alive of the trial's snapshot: it is read at once, and it may stay open when it can't be closed */
const longestTrialMs = 30_000;

/**
 * Is this OpenSearch at all? Asked first, so that the checks never interpret answers of another product.
 * @throws AoscError precondition_failed
 */
export async function checkDistribution(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  call: Call,
): Promise<void> {
  try {
    await cluster.uuid(call);
  } catch (error) {
    if (!isClusterError(error, 'invalid')) throw error;
    throw new AoscError('precondition_failed', `This cluster is not supported: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * Tries on the source what every copy is made of: a point in time on one primary, searched by `_seq_no`. It lives as
 * long as those of the workers, if their `AOSC_SNAPSHOT_KEEP_ALIVE_MS` is that of this process. The trial asks the
 * cluster what it can do and does not infer it from the version: a provider may have added or removed it.
 * @throws AoscError precondition_failed
 */
export async function checkSnapshots(
  { cluster, snapshotKeepAliveMs }: Pick<ApiDependencies, 'cluster' | 'snapshotKeepAliveMs'>,
  { source, sourceRouting, call }: Pick<StartContext, 'source' | 'sourceRouting' | 'call'>,
): Promise<void> {
  const { state, snapshots } = cluster.index(source.index);
  // A shard that has just been made may still move to another node.
  const attempt = async (tries: number): Promise<void> =>
    trySnapshot(
      snapshots,
      tries === 1 ? sourceRouting : await state.readRouting(call),
      snapshotKeepAliveMs,
      call,
    );
  await repeatTransient(attempt, systemClock, call.signal);
}

async function trySnapshot(
  snapshots: SnapshotPort,
  routing: StartContext['sourceRouting'],
  copyKeepAliveMs: number,
  call: Call,
): Promise<void> {
  const keepAliveMs = Math.min(longestTrialMs, copyKeepAliveMs);
  let pitId: string | undefined;
  try {
    // Without a started primary there is nothing to try; the checks of its health report that.
    const nodeId = routing.primaries.find(({ shard }) => shard === 0)?.nodeId;
    if (nodeId === undefined) return;
    const copy = { shard: 0, nodeId };
    await snapshots.refreshCopy(copy, routing.shape, call);
    pitId = await snapshots.open(copy, keepAliveMs, call);
    await snapshots.measure(pitId, keepAliveMs, call);
    const selection = { kind: 'range', from: 0, to: 1 } as const;
    await snapshots.readHeads({ pitId, keepAliveMs, selection, size: 1 }, call);
    await snapshots.histogram({ pitId, keepAliveMs, selection, interval: 1 }, call);
    await snapshots.extend(pitId, copyKeepAliveMs, call);
  } catch (error) {
    if (!isClusterError(error, 'invalid', 'not_found')) throw error;
    if (error.message.includes(keepAliveLimit)) throw livesTooLong(copyKeepAliveMs, error);
    throw new AoscError(
      'precondition_failed',
      'This cluster is not supported: points in time and searches by [_seq_no] on one shard are needed, as ' +
        `OpenSearch 2.9 and later have them: ${error.message}`,
      { cause: error },
    );
  } finally {
    // A snapshot that can't be closed ends with its keep-alive.
    if (pitId !== undefined) await snapshots.close([pitId], call).catch(ignoreClusterErrors);
  }
}

function livesTooLong(keepAliveMs: number, error: ClusterError): AoscError {
  return new AoscError(
    'precondition_failed',
    `The copy needs points in time that live for ${keepAliveMs} ms (AOSC_SNAPSHOT_KEEP_ALIVE_MS), and the cluster allows ` +
      `less: raise its setting [${keepAliveLimit}], or lower that variable of API, scheduler and workers. ${error.message}`,
    { cause: error },
  );
}

type Dependencies = Pick<ApiDependencies, 'cluster' | 'security' | 'logger'>;

/**
 * Checks whether the service's user may do all that a migration does, and whether it sees all documents and fields.
 * @param byFiles the target is made of files
 * @throws AoscError precondition_failed: all that is missing in one answer
 */
export async function checkPrivileges(
  deps: Dependencies,
  request: StartRequest,
  call: Call,
  byFiles = request.options?.copy === 'files',
): Promise<void> {
  const { source, target, alias, options } = request;
  const setsAside = options?.on_document_error === 'set_aside';
  if (![source, target].every(isIndexName)) return;
  const report = await examinePrivileges(
    deps,
    { source, target, alias: isAliasName(alias) ? alias : source, byFiles, setsAside },
    call,
  );
  if (report === undefined) return;
  const { user, missing, optional, restrictions } = report;
  if (optional.size > 0)
    deps.logger.warn(`${describeMissing(user, optional)}; some waits are longer without them`);
  const problems = [...(missing.size > 0 ? [describeMissing(user, missing)] : []), ...restrictions];
  if (problems.length > 0) throw preconditionFailed(problems.join('; '));
}
