import {
  documentKeyString,
  isInPart,
  MatchTable,
  matchTableBytes,
  maxDocumentsOfPart,
  type VerifyGroup,
} from '@aosc/domain';
import type { VerifiedRange } from '@aosc/contract';
import { countFresh } from '../cluster/count-on-primaries';
import type { DocumentHead, DocumentKey } from '../ports/documents';
import { inRequests } from '../shard/read/chunks';
import { retryingReads } from '../shard/session/retrying-reads';
import { expectInTarget, printOf, toCompared } from './expected';
import { type OpenShard, withOpenShards } from './open-shards';
import type { VerifyReader } from './reader';

/** Of a hash that spreads documents over parts, the largest part has a little more than its share. */
const mostUneven = 1.05;
const leastSpare = 1000;
/** Documents that do not match are remembered up to here; of more, something else is wrong, and the part is compared again. */
const maxDoubts = 100_000;

/** A part of a group of shards. */
export interface VerifyPart {
  readonly group: VerifyGroup;
  readonly part: number;
  readonly parts: number;
}

export interface ComparedPart {
  readonly range: VerifiedRange;
  /** documents of the source that the target did not show like that */
  readonly sources: readonly DocumentKey[];
  /** documents of the target that the source did not show like that */
  readonly targets: readonly DocumentHead[];
  /** more did not match than are named */
  readonly hasMore: boolean;
}

/** In how many parts a group is compared, so that the prints of one fit into the room that a worker has for them. */
export async function countParts(reader: VerifyReader, { sourceShards }: VerifyGroup): Promise<number> {
  const counts = await retryingReads(reader.retrying, (call) => countFresh(reader.context.source, call));
  const documents = sourceShards.reduce((sum, shard) => sum + (counts.get(shard) ?? 0), 0);
  return Math.max(1, Math.ceil(documents / maxDocumentsOfPart));
}

/**
 * Reads a part on both sides, and matches its documents by their prints: by key, version and content, never by order.
 *
 * The points in time on the target come first. So the target shows nothing that the source did not show by then: what the target
 * has and the source does not is either old, and will go with the next round, or extra.
 * @returns undefined when there is no room for the prints now
 */
export async function comparePart(reader: VerifyReader, part: VerifyPart): Promise<ComparedPart | undefined> {
  const { source, target } = reader.context;
  return withOpenShards(reader, target, part.group.targetShards, (targetOpen) =>
    withOpenShards(reader, source, part.group.sourceShards, async (sourceOpen) => {
      const { printRoom } = reader.context;
      const documents = await countDocuments(reader, sourceOpen);
      const capacity =
        part.parts === 1 ? documents : Math.ceil((documents / part.parts) * mostUneven) + leastSpare;
      const bytes = matchTableBytes(capacity);
      if (!printRoom.take(bytes)) return undefined;
      try {
        return await match(reader, part, { sourceOpen, targetOpen, table: new MatchTable(capacity) });
      } finally {
        printRoom.giveBack(bytes);
      }
    }),
  );
}

async function countDocuments(reader: VerifyReader, open: readonly OpenShard[]): Promise<number> {
  const { snapshots } = reader.context.source;
  let documents = 0;
  for (const { pitId } of open) {
    const measured = await retryingReads(reader.retrying, (call) =>
      snapshots.measure(pitId, reader.keepAliveMs, call),
    );
    documents += measured.documentCount;
  }
  return documents;
}

interface Sides {
  readonly sourceOpen: readonly OpenShard[];
  readonly targetOpen: readonly OpenShard[];
  readonly table: MatchTable;
}

const everything = { kind: 'range', from: 0, to: Number.MAX_SAFE_INTEGER } as const;

async function match(
  reader: VerifyReader,
  { group, part, parts }: VerifyPart,
  { sourceOpen, targetOpen, table }: Sides,
): Promise<ComparedPart> {
  const { source, target, onDocuments } = reader.context;
  let documents = 0;
  for (const { shard, pitId } of sourceOpen) {
    for await (const page of reader.readWhole(source, { pitId, selection: everything })) {
      for (const expected of await expectInTarget(reader, shard, page)) {
        if (!isInPart(documentKeyString(expected), part, parts)) continue;
        documents++;
        const isExpected = table.expect(printOf(reader, expected), { shard, seqNo: expected.seqNo });
        if (!isExpected) throw new Error('a snapshot of the source shows more documents than it has counted');
      }
      onDocuments(page.length);
    }
  }
  const targets: DocumentHead[] = [];
  let isFull = false;
  for (const { pitId } of targetOpen) {
    for await (const page of reader.readWhole(target, { pitId, selection: everything })) {
      for (const document of page) {
        if (!isInPart(documentKeyString(document), part, parts)) continue;
        if (table.meet(printOf(reader, toCompared(reader, document)))) continue;
        const { source: _bytes, ...head } = document;
        if (targets.length < maxDoubts) targets.push(head);
        else isFull = true;
      }
    }
  }
  const { keys: sources, hasMore } = await nameUnmet(reader, sourceOpen, table);
  return {
    range: {
      sourceShards: group.sourceShards,
      targetShards: group.targetShards,
      part,
      parts,
      documents,
      toSeqNo: Object.fromEntries(sourceOpen.map(({ shard, maxSeqNo }) => [String(shard), maxSeqNo])),
    },
    sources,
    targets,
    hasMore: isFull || hasMore,
  };
}

/** Which documents the numbers belong to that were not met. */
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
    for (const seqNos of inRequests(byShard.get(shard) ?? [])) {
      for await (const heads of reader.readHeads(source, { pitId, selection: { kind: 'seq_nos', seqNos } })) {
        for (const { id, routing } of heads) keys.push({ id, routing });
      }
    }
  }
  return { keys, hasMore: count > maxDoubts };
}
