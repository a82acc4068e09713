import { ShardSession } from '../session/shard-session';
import { ShardWriter } from './shard-writer';

/** A session with the writer of its job's documents. From the first use of the writer on, the record shows its load. */
export class ShardWork extends ShardSession {
  private ownWriter: ShardWriter | undefined;

  get writer(): ShardWriter {
    this.showsFlow = true;
    this.ownWriter ??= new ShardWriter(this);
    return this.ownWriter;
  }
}
