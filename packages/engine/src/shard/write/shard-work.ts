import { ShardSession } from '../session/shard-session';
import { ShardWriter } from './shard-writer';

/** A session with the writer of its job's documents. Once the writer is used, the record shows the job's load. */
export class ShardWork extends ShardSession {
  private ownWriter: ShardWriter | undefined;

  get writer(): ShardWriter {
    this.showsFlow = true;
    this.ownWriter ??= new ShardWriter(this);
    return this.ownWriter;
  }
}
