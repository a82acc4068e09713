import { writeKeys } from './write-pages';
import { type Contested, type ContestState, evaluateContest, withContested } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import type { Selection } from '../../ports/snapshot-port';
import { requireElement } from '../../require-element';
import { countFresh, sumOf } from '../../cluster/primaries';
import { retryingReads } from '../session/retrying-reads';
import type { ShardWork } from '../write/shard-work';
import { askSource, describeShared, findIdConflict, type IdConflict } from '../write/id-conflicts';
import { inRequests } from '../read/chunks';
import { readHeads } from '../read/pages';

const sharedNamed = 10;

/**
 * Whether the shard may let go of its final snapshot at once: no shard has met a document of another shard, and none
 * will. This costs one read of the records.
 * @param contested places that this shard's last round has found contested, and that the record does not name yet
 */
export async function needsNoCheck(session: ShardWork, contested: Contested): Promise<boolean> {
  return (await readContest(session, contested)).type === 'complete';
}

/**
 * Checks contested places (to which several source shards have written) under the write block, with the final snapshot
 * in the target. A document may have moved to this shard from another source shard. A late bulk of the other shard may
 * then have written over the document, and the other shard's next round may have deleted it. Once every shard is at its
 * final snapshot, no shard writes or deletes anything older. Then this looks at the contested places, and writes the
 * missing documents again.
 *
 * Where not all places are known, this counts the target's documents. The target can only have too few, because each
 * shard takes away what it has written and the source no longer has.
 * @returns false: other shards have not reached their final snapshots yet
 * @throws SnapshotLostError when the final snapshot is gone
 */
export async function checkContested(session: ShardWork): Promise<boolean> {
  const state = await readContest(session, { ids: [], unknown: false });
  if (state.type !== 'check') return state.type === 'complete';
  const { snapshot } = session.record;
  if (snapshot === undefined) return false;
  const everything = state.unknown && (await mayLackDocuments(session, state.documents));
  const selections: readonly Selection[] = everything
    ? [{ kind: 'range', from: 0, to: snapshot.maxSeqNo + 1 }]
    : inRequests(state.ids).map((ids) => ({ kind: 'ids', ids }));
  const found: Found = { checked: 0, rewritten: 0, shared: [] };
  for (const selection of selections) {
    for await (const heads of readHeads(session, snapshot, selection)) {
      for (const part of inRequests(heads)) await repair(session, snapshot, part, found);
    }
  }
  const { shared, ...figures } = found;
  session.context.log.info('contested_checked', 'documents in places that several source shards wrote to', {
    shard: session.context.shard,
    ...figures,
    shared: shared.length,
  });
  if (shared.length > 0) {
    const named = shared.slice(0, sharedNamed);
    await session.update((record) => ({ ...record, sharedPlaces: named }));
  }
  return true;
}

interface Found {
  checked: number;
  rewritten: number;
  readonly shared: string[];
}

/** Writes those of the final snapshot's documents that the target does not have. */
async function repair(
  session: ShardWork,
  snapshot: Snapshot,
  heads: readonly DocumentHead[],
  found: Found,
): Promise<void> {
  const { writer } = session;
  const targets = await writer.lookUp(heads);
  const idConflicts: IdConflict[] = [];
  const missing: DocumentKey[] = [];
  heads.forEach((head, i) => {
    const target = requireElement(targets, i);
    const idConflict = findIdConflict(head, target);
    if (idConflict !== undefined) idConflicts.push(idConflict);
    else if (!target.found || target.version !== head.version) missing.push(head);
  });
  const decisions = await askSource(session, idConflicts, 0);
  for (const idConflict of idConflicts) {
    // Both are in the source, and stay there: the sums at the end fail the migration and name them.
    if (decisions.get(idConflict) === 'ask_again') found.shared.push(describeShared(idConflict));
    else missing.push(idConflict.ours);
  }
  await writer.deleteDocuments(
    idConflicts.filter((each) => decisions.get(each) === 'take_place').map(({ other }) => other),
  );
  found.checked += heads.length;
  found.rewritten += missing.length;
  await writeKeys(session, snapshot, missing);
}

/**
 * With a tolerance or a validation query the target may hold documents of other writers. Those would make up for
 * missing documents in a count, so the count says nothing.
 */
async function mayLackDocuments(session: ShardWork, expected: number): Promise<boolean> {
  const { target, migration } = session.context;
  const { docCountTolerance, validationQuery } = migration.options;
  if (docCountTolerance > 0 || validationQuery !== undefined) return true;
  return sumOf(await retryingReads(session, (call) => countFresh(target, call))) < expected;
}

async function readContest(session: ShardWork, contested: Contested): Promise<ContestState> {
  const { store, migration, shard } = session.context;
  const stored = await retryingReads(session, (call) =>
    store.readShards(migration.key, migration.sourceShardCount, call),
  );
  // No record names `contested` yet, so this adds it to the session's own.
  const own = withContested(session.record, contested);
  const records = stored.map(({ record }) => (record.shard === shard ? own : record));
  return evaluateContest(records, shard, migration);
}
