import type { Snapshot } from '@aosc/contract';
import { requireElement } from '../../require-element';
import { inRequests } from '../read/chunks';
import { readHeads } from '../read/pages';
import type { ShardWork } from '../write/shard-work';
import { everything } from './sweep-target';
import { writeKeys } from './write-pages';

/**
 * Writes the documents of a snapshot that the target lacks, where several source shards write to the same places. To
 * copy all documents again would not help: during that copy rounds of other shards may take other places. The record
 * says that there are contested places, so the shards count the target's documents in the cutover.
 */
export async function writeMissing(session: ShardWork, snapshot: Snapshot): Promise<void> {
  const { writer } = session;
  for await (const heads of readHeads(session, snapshot, everything)) {
    for (const part of inRequests(heads)) {
      const found = await writer.lookUp(part);
      const missing = part.filter((head, at) => {
        const document = requireElement(found, at);
        return !(document.found && document.routing === head.routing) && !writer.refusals.has(head);
      });
      await writeKeys(session, snapshot, missing);
    }
  }
}
