import type { MigrationRecord } from '@aosc/contract';
import { committedAlias, isOwnName, madeAlias } from '@aosc/domain';
import type { IndexDescription, IndexRouting, PrimaryCheckpoint } from '../../ports/index-state-port';
import { holdsBlock } from '../step/block-watch';

type Files = NonNullable<MigrationRecord['files']>;
export type SourceShards = NonNullable<Files['sources']>;

/** The indices that have the names of source and target now; undefined: there is no such index. */
export interface SeenIndices {
  readonly source: IndexDescription | undefined;
  readonly target: IndexDescription | undefined;
}

type MakingStep =
  /** no request was sent yet: note the source's checkpoints, and that the service is going to block the source */
  | { readonly type: 'announce'; readonly source: IndexDescription }
  /** send the request, also again after a lost answer: if the target is there by then, the repeat changes nothing */
  | { readonly type: 'resize' }
  /** the target is there, and the service's write block still stops applications */
  | { readonly type: 'lift' }
  | { readonly type: 'adopt'; readonly uuid: string }
  | { readonly type: 'fail'; readonly reason: string };

/** @param record without the uuid of the target, which is not made or not found yet */
export function decideMaking(record: MigrationRecord, { source, target }: SeenIndices): MakingStep {
  const { sourceIndex, targetIndex, sourceUuid, files, key } = record;
  if (source?.uuid !== sourceUuid)
    return { type: 'fail', reason: `Source index [${sourceIndex}] no longer exists` };
  if (target === undefined) {
    return files?.sources === undefined ? { type: 'announce', source } : { type: 'resize' };
  }
  if (!target.aliases.has(madeAlias(key))) {
    const reason = `Target index [${targetIndex}] was created by another client since the start: its name has to be free`;
    return { type: 'fail', reason };
  }
  return holdsBlock(record) ? { type: 'lift' } : { type: 'adopt', uuid: target.uuid };
}

/**
 * The global checkpoint and the primary of each source shard. Every in-sync copy has all operations up to the
 * checkpoint. So the files have these operations, and no failover rolls them back. The caller reads the routing after
 * the checkpoints. If a later snapshot has the same allocation id and primary term, the same copy was primary all the
 * time, and the files are that copy's.
 * @returns undefined: another index has the source's name, or a shard has no started primary with a checkpoint
 */
export function sourceShards(
  { sourceShardCount, sourceUuid }: Pick<MigrationRecord, 'sourceShardCount' | 'sourceUuid'>,
  checkpoints: readonly PrimaryCheckpoint[],
  { indexUuid, primaries }: Pick<IndexRouting, 'indexUuid' | 'primaries'>,
): SourceShards | undefined {
  if (indexUuid !== sourceUuid) return undefined;
  const readable = checkpoints.flatMap(({ shard, globalCheckpoint, historyUuid, state }) => {
    const primary = primaries.find((each) => each.shard === shard);
    if (state !== 'STARTED' || primary?.state !== 'STARTED' || primary.allocationId === undefined) return [];
    const { allocationId, primaryTerm } = primary;
    return [
      [String(shard), { checkpoint: globalCheckpoint, historyUuid, allocationId, primaryTerm }] as const,
    ];
  });
  return readable.length === sourceShardCount ? Object.fromEntries(readable) : undefined;
}

/** What becomes of a target when its migration is given up. */
type Removal = { readonly type: 'none' | 'remove' } | { readonly type: 'leave'; readonly reason: string };

/**
 * Whether to remove the target. Only this migration's own target is removed: `madeAlias`, which its creation adds,
 * shows whose it is. If a client has given the target another alias, the target is in use and stays.
 */
export function decideRemoval(record: MigrationRecord, target: IndexDescription | undefined): Removal {
  const { files, committed, tokenTaken, targetUuid, targetIndex, key } = record;
  if (files === undefined || committed || !tokenTaken) return { type: 'none' };
  if (target === undefined || !target.aliases.has(madeAlias(key))) return { type: 'none' };
  if (targetUuid !== '' && target.uuid !== targetUuid) return { type: 'none' };
  if (target.aliases.has(committedAlias(key))) return { type: 'none' };
  const others = [...target.aliases.keys()].filter((alias) => !isOwnName(alias));
  if (others.length === 0) return { type: 'remove' };
  const named = others.slice(0, 3).join(', ');
  return {
    type: 'leave',
    reason: `target index [${targetIndex}] was not removed: it has got the alias [${named}]. Delete it yourself if no client uses it`,
  };
}
