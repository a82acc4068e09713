import type { MigrationRecord } from '@aosc/contract';
import type { IndexDescription, PrimaryCheckpoint } from '../../ports/index-state-port';
import { ClusterError } from '../../ports/cluster-error';
import { isHeld } from '@aosc/domain';
import type { StepContext } from '../step/context';
import { findDifference } from './verify-gate';
import { findMovedAlias } from './swap-needs';

/** What the cluster shows of both indices and the alias, under the write hold or the write block. */
export interface CutoverObservation {
  /** undefined: there is no such index */
  readonly source: IndexDescription | undefined;
  readonly sourcePrimaries: readonly PrimaryCheckpoint[];
  readonly targetPrimaries: readonly PrimaryCheckpoint[];
  /** indices that have the alias */
  readonly holders: readonly string[];
  /** what a verification has found, see {@link findDifference} */
  readonly differing?: string | undefined;
}

/** @throws ClusterError when one of the indices is missing or closed */
export async function lookAtCutover(
  context: StepContext,
  record: MigrationRecord,
): Promise<CutoverObservation> {
  const { source, target, signal } = context;
  const [described, targetPrimaries, sourcePrimaries, holders, differing] = await Promise.all([
    source.state.describe({ signal }),
    target.state.readCheckpoints({ signal }),
    source.state.readCheckpoints({ signal }),
    target.cluster.aliases.indicesOf(record.alias, { signal }),
    findDifference(context, record),
  ]);
  return { source: described, sourcePrimaries, targetPrimaries, holders, differing };
}

/**
 * Finds what other clients have done to the alias, the block or the two indices since the last rounds, and what a
 * verification has found. A block that is set proves nothing, because a client may have lifted it and set it again. But
 * every write in between has raised a sequence number.
 * @throws ClusterError 'transient' while a primary is missing, because no other copy proves its number
 * @returns the reason not to swap; undefined: there is none
 */
export function findCutoverHazard(
  record: MigrationRecord,
  observation: CutoverObservation,
): string | undefined {
  const { sourceIndex, targetIndex } = record;
  const { source, sourcePrimaries, targetPrimaries, holders } = observation;
  const moved = findMovedAlias(record, source, holders);
  if (moved !== undefined) return moved;
  if (source?.uuid !== record.sourceUuid) return `Source index [${sourceIndex}] no longer exists`;
  const isBlocked = !isHeld(record);
  if (isBlocked && source.settings['index.blocks.write'] !== 'true') {
    return `the write block on [${sourceIndex}] was lifted by another client during cutover: the copy may no longer be exact`;
  }
  const written = isBlocked ? findWritten(record, sourcePrimaries) : undefined;
  if (written !== undefined) {
    return `source shard [${written}] was written to under the write block: the copy may no longer be exact`;
  }
  // This also finds a target that was deleted and made again, because its shards have other histories.
  const replaced = targetPrimaries.find(
    ({ shard, historyUuid }) => record.targetHistories?.[String(shard)] !== historyUuid,
  );
  if (replaced !== undefined) {
    return (
      `target shard [${replaced.shard}] is not the one that was written to: a stale or empty primary was ` +
      'allocated. Start again into an empty target'
    );
  }
  assertPrimaries(sourcePrimaries, record.sourceShardCount, sourceIndex);
  assertPrimaries(targetPrimaries, record.targetShardCount, targetIndex);
  return observation.differing;
}

/** The first source shard whose highest `_seq_no` is not its final number. */
export function findWritten(
  { finalSeqNos }: Pick<MigrationRecord, 'finalSeqNos'>,
  primaries: readonly Pick<PrimaryCheckpoint, 'shard' | 'maxSeqNo'>[],
): number | undefined {
  return primaries.find(({ shard, maxSeqNo }) => finalSeqNos?.[String(shard)] !== maxSeqNo)?.shard;
}

export const describePassed = (shard: number): string =>
  `source shard [${shard}] was written to under the write hold: by a request with a wait_for_active_shards of its own, or by ` +
  'another client that changed the settings of the hold';

function assertPrimaries(there: readonly PrimaryCheckpoint[], count: number, index: string): void {
  if (there.length < count) throw new ClusterError('transient', `a primary of [${index}] is missing`);
}
