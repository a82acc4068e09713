import type { ShardRecord } from '@aosc/contract';
import { coveredSeqNo, type VerifyGroup } from '@aosc/domain';
import { isClusterError } from '../ports/cluster-error';
import { hasWholeSnapshot } from '../shard/jobs/replay-need';
import { readCurrent, VerificationFailedError } from './context';
import { withOpenShards } from './open-shards';
import type { VerifyReader } from './reader';

/** A state of a source shard that the target was brought to. */
interface SourceView {
  readonly shard: number;
  readonly pitId: string;
  readonly keepAliveMs: number;
  /** the target holds every operation of the shard up to this number */
  readonly covered: number;
}

export interface SourceViews {
  readonly views: readonly SourceView[];
  /** @returns shards without a round since the views were read: the target holds exactly what their views show */
  atRest(): Promise<ReadonlySet<number>>;
}

/**
 * Gives `use` the state of the source that the target should hold. In a running migration this is the snapshot to which
 * each shard's latest round has led. The shard keeps that snapshot, so a look need not wait for a new one. While a
 * shard runs no round, the target holds exactly that snapshot, however much applications write to the source.
 * @returns undefined when a shard has no such snapshot now, or loses it during the look: look again later
 */
export async function withSourceViews<T>(
  reader: VerifyReader,
  group: VerifyGroup,
  use: (source: SourceViews) => Promise<T>,
): Promise<T | undefined> {
  const { context, signal } = reader;
  const { phase } = await readCurrent(context, signal);
  if (phase === 'COMPLETED') return withFinalViews(reader, group, use);
  const before = await readRecords(reader, group);
  const views = before.flatMap((record) => {
    const { shard, snapshot } = record;
    const covered = coveredSeqNo(record);
    if (snapshot === undefined || covered === -1) return [];
    return [{ shard, pitId: snapshot.pitId, keepAliveMs: context.timing.snapshotKeepAliveMs, covered }];
  });
  if (views.length < group.sourceShards.length) return undefined;
  const atRest = async (): Promise<ReadonlySet<number>> => {
    const after = await readRecords(reader, group);
    const same = before.filter((record) =>
      after.some(
        (each) =>
          each.shard === record.shard &&
          hasWholeSnapshot(record) &&
          hasWholeSnapshot(each) &&
          each.snapshot.pitId === record.snapshot.pitId,
      ),
    );
    return new Set(same.map(({ shard }) => shard));
  };
  try {
    return await use({ views, atRest });
  } catch (error) {
    if (isClusterError(error, 'snapshot_lost')) return undefined;
    throw error;
  }
}

/**
 * Looks at the source as it is now, because after the swap the shards' snapshots are closed.
 * @throws VerificationFailedError when the source was written to since the swap: the target lacks these writes
 */
async function withFinalViews<T>(
  reader: VerifyReader,
  group: VerifyGroup,
  use: (source: SourceViews) => Promise<T>,
): Promise<T> {
  const { source, migration } = reader.context;
  const records = await readRecords(reader, group);
  return withOpenShards(reader, source, group.sourceShards, (open) => {
    const views = open.map(({ shard, pitId, maxSeqNo }) => {
      const record = records.find((each) => each.shard === shard);
      const covered = record === undefined ? -1 : coveredSeqNo(record);
      if (covered < maxSeqNo) {
        throw new VerificationFailedError(
          `shard [${shard}] of [${migration.sourceIndex}] was written to after the swap: the target is not a copy of it any more`,
        );
      }
      return { shard, pitId, keepAliveMs: reader.keepAliveMs, covered };
    });
    return use({ views, atRest: () => Promise.resolve(new Set(group.sourceShards)) });
  });
}

async function readRecords(
  reader: VerifyReader,
  { sourceShards }: VerifyGroup,
): Promise<readonly ShardRecord[]> {
  return (await reader.readShards()).filter(({ shard }) => sourceShards.includes(shard));
}
