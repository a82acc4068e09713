import {
  cutBuckets,
  differingBuckets,
  documentKeyString,
  groupBuckets,
  multisetDifference,
  searchInterval,
  type SeqNoHistogram,
  type SeqNoWindow,
} from '@aosc/domain';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import type { Selection } from '../../ports/snapshot-port';
import { inChunks } from '../read/chunks';
import type { ShardSession } from '../session/shard-session';
import { readHistogram, type DocumentView, findHeads, headsPageSize, readHeads } from '../read/pages';
import type { DeleteSearch } from './evaluate-round';
import type { Round } from './round';

/**
 * The most ranges in a query; below `indices.query.bool.max_clause_count`. Where that is low, `inChunks` asks for
 * fewer.
 */
const maxRanges = 500;
/** The most numbers that one query counts one by one; below `search.max_buckets`, 65,535 by default. */
const countsPerQuery = 20_000;
const numbersPerQuery = 1000;
/**
 * Up to this many heads (documents without their sources) are listed without a count of their numbers first: that saves
 * two requests, and costs a few hundred ids more.
 */
const mostListed = 500;

export interface Difference {
  /** documents of the old snapshot whose (`_id`, `_routing`) the new one does not have */
  readonly deleted: readonly DocumentKey[];
  /** `_seq_no`s at or below the old checkpoint that only the new snapshot has: only after a change of primary */
  readonly appeared: readonly number[];
}

export interface DifferenceSearch extends DeleteSearch {
  /**
   * All documents that were written since the old snapshot, by `documentKeyString`. A document that has left its
   * number, and is not among them, was deleted. undefined: too many to keep, or another copy became primary; then the
   * search asks the new snapshot
   */
  readonly rewritten: ReadonlySet<string> | undefined;
}

/**
 * Yields, group by group, what the old snapshot has and the new one has not. The search skips buckets of `_seq_no`
 * whose document counts are equal: at or below the checkpoint numbers can only vanish, so equal counts prove equality
 * (unless another copy became primary).
 *
 * Documents above the old checkpoint are compared by id, because the old snapshot may have holes there.
 */
export async function* findDifferences(pair: Round, search: DifferenceSearch): AsyncGenerator<Difference> {
  const { session, old } = pair;
  const interval = searchInterval(old.checkpoint, search.differences);
  const upToCheckpoint: Selection = { kind: 'range', from: 0, to: old.checkpoint + 1 };
  const counting = old.checkpoint < 0 ? undefined : readHistograms(pair, upToCheckpoint, interval);
  counting?.catch(() => undefined); // the tail below may fail first
  // The documents between checkpoint and maximum are few: the operations that were in flight at the opening.
  if (old.maxSeqNo > old.checkpoint) {
    const tail: Selection = { kind: 'range', from: old.checkpoint + 1, to: old.maxSeqNo + 1 };
    for await (const heads of readHeads(session, old, tail)) {
      yield { deleted: await deletedOf(pair, heads, search), appeared: [] };
    }
  }
  if (counting === undefined) return;
  const [before, after] = await counting;
  const starts = search.thorough
    ? [...new Set([...before.counts.keys(), ...after.counts.keys()])].sort((a, b) => a - b)
    : differingBuckets(before, after);
  const listsAll = search.thorough || countIn(starts, before) <= mostListed;
  const maxNumbers = listsAll ? headsPageSize : countsPerQuery;
  const buckets = listsAll ? { starts, interval } : cutBuckets(starts, interval, countsPerQuery);
  const bounds = { maxRanges, maxNumbers };
  for (const ranges of groupBuckets(buckets.starts, buckets.interval, old.checkpoint, bounds)) {
    if (listsAll) {
      yield* inChunks(ranges, maxRanges, (part) =>
        compareHeads(pair, search, { kind: 'ranges', ranges: part }),
      );
    } else yield* compareNumbers(pair, search, ranges);
  }
}

function countIn(starts: readonly number[], { counts }: SeqNoHistogram): number {
  return starts.reduce((sum, start) => sum + (counts.get(start) ?? 0), 0);
}

async function readHistograms(
  { session, old, next }: Round,
  selection: Selection,
  interval: number,
): Promise<readonly [SeqNoHistogram, SeqNoHistogram]> {
  return Promise.all([
    readHistogram(session, old, selection, interval),
    readHistogram(session, next, selection, interval),
  ]);
}

/**
 * Counts the documents of each single number first, which reads doc values alone. Listing the heads of all the
 * documents around the few that are gone costs the node a hundred times as much, because ids are stored fields.
 */
async function* compareNumbers(
  pair: Round,
  search: DifferenceSearch,
  ranges: readonly SeqNoWindow[],
): AsyncGenerator<Difference> {
  const counted = inChunks(ranges, maxRanges, (part) =>
    readHistograms(pair, { kind: 'ranges', ranges: part }, 1),
  );
  for await (const [before, after] of counted) {
    yield* inChunks(differingBuckets(before, after), numbersPerQuery, (seqNos) =>
      compareHeads(pair, search, { kind: 'seq_nos', seqNos }),
    );
  }
}

/** Several documents can share a number in a shard that a `_shrink` made, so both sides are looked at. */
async function compareHeads(
  pair: Round,
  search: DifferenceSearch,
  selection: Selection,
): Promise<Difference> {
  const { session, old, next } = pair;
  const [before, after] = await Promise.all([
    collectHeads(session, old, selection),
    collectHeads(session, next, selection),
  ]);
  const { onlyBefore, onlyAfter } = multisetDifference(before, after);
  return {
    deleted: await deletedOf(pair, onlyBefore, search),
    appeared: onlyAfter.map(({ seqNo }) => seqNo),
  };
}

async function collectHeads(
  session: ShardSession,
  snapshot: DocumentView,
  selection: Selection,
): Promise<readonly DocumentHead[]> {
  const all: DocumentHead[] = [];
  for await (const heads of readHeads(session, snapshot, selection)) all.push(...heads);
  return all;
}

/** The documents among these that are gone: an update has only given the others a higher number. */
async function deletedOf(
  { session, next }: Round,
  heads: readonly DocumentHead[],
  { rewritten }: DifferenceSearch,
): Promise<readonly DocumentKey[]> {
  if (heads.length === 0) return [];
  const present = rewritten ?? (await findHeads(session, next, heads));
  return heads.filter((head) => !present.has(documentKeyString(head)));
}
