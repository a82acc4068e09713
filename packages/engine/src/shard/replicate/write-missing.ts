import type { Snapshot } from '@aosc/contract';
import { elementAt } from '../../cluster/element-at';
import { inRequests } from '../read/chunks';
import { readHeads } from '../read/pages';
import type { ShardWork } from '../write/shard-work';
import { everything } from './sweep-target';
import { writeKeys } from './write-pages';

/**
 * Writes what the target does not hold of a snapshot, where several source shards write to the same places. Rounds of
 * other shards may take places while this shard copies: after each further copy of everything, other documents would be
 * missing. The record says that there are contested places, so the shards count the target's documents in the cutover.
 */
export async function writeMissing(session: ShardWork, snapshot: Snapshot): Promise<void> {
  const { writer } = session;
  for await (const heads of readHeads(session, snapshot, everything)) {
    for (const part of inRequests(heads)) {
      const found = await writer.lookUp(part);
      const missing = part.filter((head, at) => {
        const document = elementAt(found, at);
        return !(document.found && document.routing === head.routing) && !writer.refusals.has(head);
      });
      await writeKeys(session, snapshot, missing);
    }
  }
}
