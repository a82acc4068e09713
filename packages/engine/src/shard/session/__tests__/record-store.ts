import type { ShardRecord } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { ClusterError } from '../../../ports/cluster-error';
import type { IndexPorts } from '../../../ports/index-ports';
import type { Stored, StorePort } from '../../../ports/store-port';
import type { ShardContext } from '../../context';
import { NodeWatch } from '../../../cluster/node-watch';

/** What becomes of one write of the record. */
export type Fate =
  | 'answered'
  /** written, and the answer is lost */
  | 'applied, no answer'
  | 'never arrived'
  /** written after the caller's next read, and before its next write */
  | 'arrives late';

/** One shard's record, changed by compare-and-set as the real store does it; each write's fate can be chosen. */
export class RecordStore {
  private stored: Stored<ShardRecord>;
  private late: (() => void) | undefined;
  writes = 0;
  /** done when the record has been read */
  afterRead: (() => void) | undefined;

  constructor(private readonly fates: Fate[] = []) {
    this.stored = { record: newShardRecord('0123456789abcdef0123', 0, 0), seqNo: 0, primaryTerm: 1 };
  }

  get record(): ShardRecord {
    return this.stored.record;
  }

  /** A write of somebody else. */
  change(change: (record: ShardRecord) => ShardRecord): void {
    this.stored = { ...this.stored, record: change(this.stored.record), seqNo: this.stored.seqNo + 1 };
  }

  choose(...fates: Fate[]): void {
    this.fates.push(...fates);
  }

  readonly port: Pick<StorePort, 'readShard' | 'replaceShard'> = {
    readShard: () => {
      const found = this.stored;
      this.afterRead?.();
      return Promise.resolve(found);
    },
    replaceShard: async (before, after) => {
      this.late?.();
      this.late = undefined;
      const fate = this.fates.shift() ?? 'answered';
      if (fate === 'arrives late') {
        this.late = () => void this.replace(before, after).catch(() => undefined);
      } else if (fate !== 'never arrived') {
        const done = await this.replace(before, after);
        if (fate === 'answered') return done;
      }
      throw new ClusterError('transient', 'no answer');
    },
  };

  private replace(before: Stored<ShardRecord>, after: ShardRecord): Promise<Stored<ShardRecord>> {
    if (before.seqNo !== this.stored.seqNo) {
      return Promise.reject(new ClusterError('conflict', 'somebody was faster'));
    }
    this.writes += 1;
    this.change(() => after);
    return Promise.resolve(this.stored);
  }
}

/** An index that nothing is asked of. */
function createIndex(): IndexPorts {
  const parts: unknown = { state: {}, snapshots: {}, writes: {}, tasks: {} };
  return parts as IndexPorts;
}

/** As much of a context as a session looks at. Its clock stands still until somebody sleeps. */
export function createContext(store: RecordStore): ShardContext {
  let now = 1000;
  const context: Partial<ShardContext> &
    Record<'store' | 'migration' | 'clock' | 'timing' | 'nodes', unknown> = {
    store: store.port as ShardContext['store'],
    migration: { key: store.record.key } as ShardContext['migration'],
    shard: 0,
    source: createIndex(),
    target: createIndex(),
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: (ms) => Promise.resolve(void (now += ms)),
      random: () => 0.5,
    },
    nodes: new NodeWatch(
      { readView: () => Promise.resolve({ members: ['node/run'], aliases: [] }) },
      { monotonic: () => now },
      1000,
    ),
    timing: { staleAfterMs: 5000, confirmMs: 0 } as ShardContext['timing'],
  };
  return context as ShardContext;
}
