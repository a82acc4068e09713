import { documentKeyString, isInPart, MatchTable, matchTableBytes, type VerifyGroup } from '@aosc/domain';
import type { VerifiedRange } from '@aosc/contract';
import type { DocumentHead, DocumentKey, RawDocument } from '../ports/documents';
import { inChunks } from '../shard/read/chunks';
import { retryingReads } from '../shard/session/retrying-reads';
import { requireElement } from '../require-element';
import { keyOf } from '../shard/write/document-names';
import { VerificationFailedError } from './context';
import { printOf, transformed } from './expected';
import { type OpenShard, withOpenShards } from './open-shards';
import { capacityOf, leastSpare, partsFor } from './parts';
import type { VerifyReader } from './reader';
import { firstOf, spansOf } from './spans';

/**
 * The most documents of each side that a part names as not matching. If more do not match, the verification fails after
 * a look at those that are named.
 */
const maxDoubts = 100_000;
const seqNosPerQuery = 1000;

/** A part of a group of shards. */
export interface VerifyPart {
  readonly group: VerifyGroup;
  readonly part: number;
  /** undefined: it is not decided yet in how many parts the group is compared */
  readonly parts: number | undefined;
  /** up to where an earlier pass has compared the group; undefined: there was none */
  readonly before: VerifiedRange | undefined;
}

export interface ComparedPart {
  readonly parts: number;
  readonly range: VerifiedRange;
  /** by source shard: nothing above these numbers was read */
  readonly upTo: ReadonlyMap<number, number>;
  /** documents of the source that match no document of the target */
  readonly sources: readonly DocumentKey[];
  /** documents of the target that match no document of the source */
  readonly targets: readonly DocumentHead[];
  /** more did not match than are named */
  readonly hasMore: boolean;
}

/**
 * Reads a part on both sides, and matches its documents by their prints: by key, version and content, never by order.
 *
 * This opens the points in time on the target first, so whatever they show was in the source before. A document that
 * only the target shows was either deleted from the source since, and the next round deletes it, or it is extra.
 * @returns undefined when there is no memory for the prints now
 */
export async function comparePart(reader: VerifyReader, part: VerifyPart): Promise<ComparedPart | undefined> {
  const { source, target } = reader.context;
  return withOpenShards(reader, target, part.group.targetShards, (targetOpen) =>
    withOpenShards(reader, source, part.group.sourceShards, async (sourceOpen) => {
      const { printMemory } = reader.context;
      const documents = await countDocuments(reader, sourceOpen, part.before);
      const { parts = partsFor(documents, printMemory.size) } = part;
      const capacity = capacityOf(documents, parts);
      const bytes = matchTableBytes(capacity);
      if (bytes > printMemory.size) {
        throw new VerificationFailedError(
          `prints of ${capacity} documents take ${bytes} bytes, more than the ${printMemory.size} that this worker has for them: ` +
            'give all workers the same memory, or more, and verify again',
        );
      }
      if (!printMemory.take(bytes)) return undefined;
      try {
        const matchBy = (isByMeaning: boolean): Promise<ComparedPart> => {
          const sides = { sourceOpen, targetOpen, table: new MatchTable(capacity), isByMeaning };
          return match(reader, { ...part, parts }, sides);
        };
        const compared = await matchBy(false);
        const { sources, targets, hasMore } = compared;
        const isSpeltAlike = !hasMore && sources.length + targets.length <= leastSpare + capacity / 10;
        return reader.context.migration.transform === undefined || isSpeltAlike
          ? compared
          : await matchBy(true);
      } finally {
        printMemory.giveBack(bytes);
      }
    }),
  );
}

/**
 * The most documents that were written since an earlier pass: one for each number. Without an earlier pass all
 * documents count, because in a shard that a `_shrink` made several of them can have one number.
 */
async function countDocuments(
  { context, retrying, keepAliveMs }: VerifyReader,
  open: readonly OpenShard[],
  before: VerifiedRange | undefined,
): Promise<number> {
  const { snapshots } = context.source;
  let documents = 0;
  for (const { shard, pitId, maxSeqNo } of open) {
    const { documentCount } = await retryingReads(retrying, (call) =>
      snapshots.measure(pitId, keepAliveMs, call),
    );
    const from = firstOf(shard, before?.toSeqNo);
    documents += from === 0 ? documentCount : Math.min(documentCount, maxSeqNo + 1 - from);
  }
  return documents;
}

interface Sides {
  readonly sourceOpen: readonly OpenShard[];
  readonly targetOpen: readonly OpenShard[];
  readonly table: MatchTable;
  readonly isByMeaning: boolean;
}

async function match(
  reader: VerifyReader,
  { group, part, parts, before }: VerifyPart & Pick<ComparedPart, 'parts'>,
  { sourceOpen, targetOpen, table, isByMeaning }: Sides,
): Promise<ComparedPart> {
  const { source, target, migration, onDocuments } = reader.context;
  const isOwn = (document: RawDocument): boolean =>
    parts === 1 || isInPart(documentKeyString(keyOf(document)), part, parts);
  let documents = 0;
  const most = reader.shardsAtOnce;
  const spansOfSource = spansOf(sourceOpen, most, before?.toSeqNo);
  await eachAtOnce(spansOfSource, most, async ({ shard, pitId, selection }) => {
    for await (const page of reader.readWhole(source, { pitId, selection })) {
      for (const [at, expected] of (await transformed(reader, shard, page.documents)).entries()) {
        if (!isOwn(expected)) continue;
        documents++;
        const { seqNo } = requireElement(page.documents, at);
        const isExpected = table.expect(printOf(reader, expected, isByMeaning), { shard, seqNo });
        if (!isExpected) throw new Error('a snapshot of the source shows more documents than it has counted');
      }
      onDocuments(page.documents.length);
    }
  });
  const targets: DocumentHead[] = [];
  // A later pass finds copies in the target of documents that an earlier pass has read in the source. Where a script
  // makes ids, a copy does not show its source document, so this pass names no copies.
  const canName = before === undefined || migration.transform?.rewritesIdentity !== true;
  // After the swap applications write to the target: documents above these numbers are theirs.
  const atSwap = migration.phase === 'COMPLETED' ? migration.targetAtSwap : undefined;
  const spansOfTarget = spansOf(targetOpen, most, before?.toTargetSeqNo, atSwap);
  await eachAtOnce(spansOfTarget, most, async ({ pitId, selection }) => {
    for await (const page of reader.readWhole(target, { pitId, selection })) {
      for (const document of page.documents) {
        if (!isOwn(document) || table.meet(printOf(reader, document, isByMeaning)) || !canName) continue;
        const { version, seqNo, primaryTerm } = document;
        if (targets.length <= maxDoubts) targets.push({ ...keyOf(document), version, seqNo, primaryTerm });
      }
    }
  });
  const { keys: sources, hasMore } = await nameUnmet(reader, sourceOpen, table);
  return {
    parts,
    range: {
      sourceShards: group.sourceShards,
      targetShards: group.targetShards,
      documents,
      toSeqNo: shownOf(sourceOpen),
      toTargetSeqNo: shownOf(targetOpen),
    },
    upTo: new Map(sourceOpen.map(({ shard, maxSeqNo }) => [shard, maxSeqNo])),
    sources,
    targets,
    hasMore: hasMore || targets.length > maxDoubts,
  };
}

/** Does the work for each value, for some at a time. */
async function eachAtOnce<V>(
  values: readonly V[],
  most: number,
  work: (value: V) => Promise<void>,
): Promise<void> {
  const left = values.values();
  const workOff = async (): Promise<void> => {
    for (const value of left) await work(value);
  };
  await Promise.all(Array.from({ length: most }, workOff));
}

const shownOf = (open: readonly OpenShard[]) =>
  Object.fromEntries(open.map(({ shard, shown }) => [String(shard), shown]));

/** Reads the keys of the source documents that matched no document of the target, by their numbers. */
async function nameUnmet(
  reader: VerifyReader,
  open: readonly OpenShard[],
  table: MatchTable,
): Promise<{ readonly keys: readonly DocumentKey[]; readonly hasMore: boolean }> {
  const { source } = reader.context;
  const byShard = new Map<number, number[]>();
  let count = 0;
  for (const { shard, seqNo } of table.unmet()) {
    if (++count > maxDoubts) break;
    const numbers = byShard.get(shard);
    if (numbers === undefined) byShard.set(shard, [seqNo]);
    else numbers.push(seqNo);
  }
  const keys: DocumentKey[] = [];
  for (const { shard, pitId } of open) {
    const named = inChunks(byShard.get(shard) ?? [], seqNosPerQuery, async (seqNos) => {
      const found: DocumentKey[] = [];
      for await (const heads of reader.readHeads(source, { pitId, selection: { kind: 'seq_nos', seqNos } })) {
        for (const { id, routing } of heads) found.push({ id, routing });
      }
      return found;
    });
    for await (const found of named) keys.push(...found);
  }
  return { keys, hasMore: count > maxDoubts };
}
