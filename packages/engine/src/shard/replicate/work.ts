import type { ShardSession } from '../session/shard-session';
import type { ShardWriter } from '../write/shard-writer';

/** A job's work on one shard: what it owns, and what it writes with. How both are paced is the session's `pacing`. */
export interface ShardWork {
  readonly session: ShardSession;
  readonly writer: ShardWriter;
}
