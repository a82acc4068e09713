import type { ShardWork } from '../write/shard-work';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey, RawDocument } from '../../ports/documents';
import { readKeys } from '../read/pages';

/** Writes documents as they are in the snapshot. @returns how many */
export async function writePages(
  { writer }: Pick<ShardWork, 'writer'>,
  snapshot: Snapshot,
  pages: AsyncIterable<{ readonly documents: readonly RawDocument[] }>,
): Promise<number> {
  let written = 0;
  for await (const { documents } of pages) {
    await writer.writeDocuments(documents, snapshot);
    written += documents.length;
  }
  return written;
}

/** Reads the documents of these keys from the snapshot and writes them. @returns how many the snapshot has */
export function writeKeys(
  session: ShardWork,
  snapshot: Snapshot,
  keys: readonly DocumentKey[],
): Promise<number> {
  return writePages(session, snapshot, readKeys(session, snapshot, keys));
}
