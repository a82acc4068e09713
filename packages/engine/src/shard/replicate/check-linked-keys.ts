import type { MigrationRecord, ShardRecord, Snapshot } from '@aosc/contract';
import { createPageSizer, type SeqNoWindow } from '@aosc/domain';
import type { SnapshotPort } from '../../ports/snapshot-port';
import { checkKeys } from '../read/check-keys';
import { fittingPages } from '../read/fitting-page';
import { reportLoss } from '../read/on-snapshot';
import { keepAliveOf } from '../snapshot/open-on-copy';
import type { ShardWork } from '../write/shard-work';

/** How many numbers are read between two looks at the clock: a node takes some seconds for their keys. */
const numbersAtOnce = 250_000;
/** The default of `index.max_result_window`; where that is lower, the page is made smaller. */
const keysPageSize = 10_000;

/**
 * Whether a split has placed the documents, by the keys that OpenSearch shows. No round reads documents that no
 * application touches, so their keys must be read before the cutover. A clone leaves each document where it was.
 */
export function isSplit({ files, shardRoutingMode }: MigrationRecord): boolean {
  return files !== undefined && shardRoutingMode === 'SPLIT_SHARD';
}

/**
 * Reads the keys of the documents that a split has placed, part by part until the deadline. It begins when all shards
 * have converged. It reads only up to the checkpoint of the files, because rounds read each document above it. Each
 * part may come from another snapshot. A document at or below the checkpoint is in each later snapshot as well, unless
 * it was deleted: then a round finds the delete and checks the key, or a sweep compares the whole shard.
 * @param deadline by the monotonic clock
 * @returns whether keys are left
 * @throws ShardFailedError that names a document which the split has put where no application looks for it;
 *   SnapshotLostError
 */
export async function checkLinkedKeys(session: ShardWork, deadline: number): Promise<boolean> {
  const { clock, migration, shard } = session.context;
  const { checkpoint = -1 } = migration.files?.sources?.[String(shard)] ?? {};
  const { phase, snapshot, uncheckedKeysFrom } = session.record;
  if (migration.phase === 'ACTIVE' || phase !== 'CONVERGED' || snapshot === undefined) return false;
  let from = uncheckedKeysFrom;
  const note = ({ uncheckedKeysFrom: _before, ...rest }: ShardRecord): ShardRecord =>
    from === undefined ? rest : { ...rest, uncheckedKeysFrom: from };
  while (from !== undefined) {
    const to = Math.min(from + numbersAtOnce, checkpoint + 1);
    await checkUntouched(session, snapshot, { from, to });
    from = to > checkpoint ? undefined : to;
    session.defer(note);
    if (clock.monotonic() >= deadline) break;
  }
  return from !== undefined;
}

/**
 * {@link checkLinkedKeys} for one range of numbers at or below the checkpoint. OpenSearch has placed these documents by
 * the keys that it shows. So this checks only the keys with U+FFFD: there the application may have sent another key.
 */
export async function checkUntouched(
  session: ShardWork,
  snapshot: Snapshot,
  window: SeqNoWindow,
): Promise<void> {
  const { snapshots } = session.context.source;
  const request = {
    pitId: snapshot.pitId,
    keepAliveMs: keepAliveOf(session, snapshot),
    selection: { kind: 'range', ...window },
  } as const;
  const sizes = { pages: createPageSizer({ firstPage: keysPageSize }), limit: () => keysPageSize };
  const read: SnapshotPort['readKeys'] = (from, call) => reportLoss(snapshots.readKeys(from, call));
  for await (const keys of fittingPages(session, sizes, request, read))
    await checkKeys(
      session,
      keys.filter((key) => key !== undefined),
    );
}
