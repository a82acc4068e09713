import { DocumentPrints, printBytes } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { ShardSession } from '../session/shard-session';
import { readHeads } from './heads';

/**
 * Reads the prints of all documents of a snapshot, for as long as `use` needs them. They share the process's room for
 * prints with the sweeps of other shards.
 * @param use gets undefined when there is no room for so many
 * @throws SnapshotLostError when the point in time is gone
 */
export async function withPrints<T>(
  session: ShardSession,
  snapshot: Snapshot,
  use: (prints: DocumentPrints | undefined) => Promise<T>,
): Promise<T> {
  const { printRoom } = session.context;
  const bytes = printBytes(snapshot.documentCount);
  if (printRoom === undefined || !printRoom.take(bytes)) return use(undefined);
  try {
    return await use(await readPrints(session, snapshot));
  } finally {
    printRoom.giveBack(bytes);
  }
}

async function readPrints(session: ShardSession, snapshot: Snapshot): Promise<DocumentPrints> {
  const prints = new DocumentPrints(snapshot.documentCount);
  const everything = { kind: 'range', from: 0, to: snapshot.maxSeqNo + 1 } as const;
  for await (const heads of readHeads(session, snapshot, everything)) {
    for (const head of heads) prints.add(head);
  }
  return prints;
}
