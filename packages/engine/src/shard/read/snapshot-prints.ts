import { type Digest, DocumentPrints, printBytes } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import { ShardFailedError } from '../errors';
import type { ShardSession } from '../session/shard-session';
import { readHeads } from './pages';

/**
 * Reads the prints (short hashes of key and version) of all documents of a snapshot, for as long as `use` needs them.
 * They share the process's memory for prints with the sweeps of other shards.
 * @param use gets undefined when there is no memory for all prints
 * @throws SnapshotLostError when the point in time is gone
 * @throws ShardFailedError when the snapshot has more documents than it has counted
 */
export async function withPrints<T>(
  session: ShardSession,
  snapshot: Snapshot,
  use: (prints: DocumentPrints | undefined) => Promise<T>,
): Promise<T> {
  const { printMemory } = session.context;
  const bytes = printBytes(snapshot.documentCount);
  if (printMemory === undefined || !printMemory.take(bytes)) return use(undefined);
  try {
    const prints = makeTable(snapshot.documentCount, printMemory.digest);
    if (prints !== undefined) await readPrints(session, snapshot, prints);
    return await use(prints);
  } finally {
    printMemory.giveBack(bytes);
  }
}

/** @returns undefined when the process has no memory left for the table */
function makeTable(documents: number, digest: Digest): DocumentPrints | undefined {
  try {
    return new DocumentPrints(documents, digest);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

async function readPrints(session: ShardSession, snapshot: Snapshot, prints: DocumentPrints): Promise<void> {
  const everything = { kind: 'range', from: 0, to: snapshot.maxSeqNo + 1 } as const;
  for await (const heads of readHeads(session, snapshot, everything)) {
    if (heads.every((head) => prints.add(head))) continue;
    throw new ShardFailedError(
      `a snapshot of source shard [${session.context.shard}] contradicts itself: it counts ` +
        `${snapshot.documentCount} documents and shows more. Nothing was swapped; please report this`,
    );
  }
}
