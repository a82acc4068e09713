import type { MigrationRecord, ShardRecord, Snapshot } from '@aosc/contract';
import { committedAlias, fenceAlias, newShardRecord, tokenAlias } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
import { ClusterError } from '../../../ports/cluster-error';
import type { Stored } from '../../../ports/store-port';
import { NodeWatch } from '../../../cluster/node-watch';
import { BlockWatch } from '../../step/block-watch';
import type { CoordinatorContext } from '../../step/context';
import type { ClearContext } from '../clear';

export const key = '0123456789abcdef0123';

/** One whose target is prepared. */
export function createMigration(parts: Partial<MigrationRecord> = {}): MigrationRecord {
  return exampleMigration({ key, targetPrepared: true, ...parts });
}

/** Of a shard that may hold one; all of its documents are copied. */
export const snapshot: Snapshot = {
  pitId: 'pit',
  nodeId: 'n',
  allocationId: 'a',
  primaryTerm: 1,
  indexUuid: 'uuid of books',
  historyUuid: 'h',
  checkpoint: 7,
  maxSeqNo: 7,
  seenMaxSeqNo: 7,
  documentCount: 8,
  openedAtMillis: 1000,
};

/** A cluster and a store of one migration, as far as clearing looks at them, and what was done to them in which order. */
export class ClearBench {
  private migration: Stored<MigrationRecord>;
  private shard: Stored<ShardRecord>;
  private readonly aliases: Set<string>;
  private now = 5000;
  private readonly ending = new AbortController();
  readonly done: string[] = [];
  /** phases of the ends that were counted */
  readonly ended: string[] = [];
  /** names of bulks that run; each look at them ends one */
  readonly bulks: string[] = [];
  /** is asked before a snapshot is closed */
  closeFails: Error | undefined;
  /** is asked before an alias is changed */
  aliasesFail: Error | undefined;
  /** of the user's alias */
  holders: readonly string[] = ['books2'];
  /** of the source, one for each look; then there is none */
  readonly blockStates: ('set' | 'draining')[] = [];
  onBlockRead: () => void = () => undefined;

  constructor(migration: Partial<MigrationRecord>, shard: Partial<ShardRecord> = {}, swapped = false) {
    this.migration = { record: createMigration(migration), seqNo: 0, primaryTerm: 1 };
    this.shard = { record: { ...newShardRecord(key, 0, 1000), ...shard }, seqNo: 0, primaryTerm: 1 };
    this.aliases = new Set(swapped ? [committedAlias(key)] : [tokenAlias(key), fenceAlias(key, 0, 1)]);
  }

  get record(): MigrationRecord {
    return this.migration.record;
  }

  get shardRecord(): ShardRecord {
    return this.shard.record;
  }

  get aliasNames(): readonly string[] {
    return [...this.aliases];
  }

  /** Ends after so many pauses, as a caller's time limit does. */
  maxSleeps = 50;

  readonly context: ClearContext = {
    store: {
      readMigration: () => Promise.resolve(this.migration),
      confirmMigration: (found) => Promise.resolve(found),
      readShards: () => Promise.resolve([this.shard]),
      readShard: () => Promise.resolve(this.shard),
      replaceMigration: (before, record) => {
        if (before.seqNo !== this.migration.seqNo) throw new ClusterError('conflict', 'somebody was faster');
        this.migration = { ...before, record, seqNo: before.seqNo + 1 };
        return Promise.resolve(this.migration);
      },
      replaceShard: (before, record) => {
        if (before.seqNo !== this.shard.seqNo) throw new ClusterError('conflict', 'somebody was faster');
        this.shard = { ...before, record, seqNo: before.seqNo + 1 };
        return Promise.resolve(this.shard);
      },
      readVerification: () => Promise.resolve(undefined),
      replaceVerification: (_before, record) => Promise.resolve({ record, seqNo: 0, primaryTerm: 1 }),
      releaseClaims: () => this.note('claims released'),
      findMigrationUsing: () => Promise.resolve(undefined),
      listActive: () => Promise.resolve([this.migration]),
    },
    cluster: this.createCluster() as ClearContext['cluster'],
    clock: {
      now: () => (this.now += 1),
      monotonic: () => this.now,
      random: () => 0.5,
      sleep: (_ms, signal) => {
        if ((this.maxSleeps -= 1) <= 0) this.end();
        signal.throwIfAborted();
        return Promise.resolve();
      },
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    timing: { requestTimeoutMs: 1000, guardMs: 60_000 },
    nodes: new NodeWatch(
      { readView: () => Promise.resolve({ members: ['node/run'], aliases: [] }) },
      { monotonic: () => this.now },
      1000,
    ),
    metrics: { writeBlockEnded: () => undefined, migrationEnded: (phase) => this.ended.push(phase) },
    signal: this.ending.signal,
    assertMandate: () => this.ending.signal.throwIfAborted(),
  };

  /** The caller's time is over. */
  end(): void {
    this.ending.abort(new Error('out of time'));
  }

  private createCluster(): unknown {
    const cluster = {
      newestState: () => undefined,
      readView: () => Promise.resolve({ members: ['node/run'], aliases: [...this.aliases] }),
      aliases: {
        indicesOf: () => Promise.resolve(this.holders),
        isIndex: () => Promise.resolve(false),
        update: (actions: readonly { remove: { alias: string; must_exist: boolean } }[]) => {
          if (this.aliasesFail !== undefined) return Promise.reject(this.aliasesFail);
          for (const { remove } of actions) {
            if (remove.must_exist && !this.aliases.has(remove.alias)) {
              return Promise.resolve({ type: 'missing', reason: remove.alias });
            }
            if (this.aliases.delete(remove.alias))
              this.done.push(`removed ${remove.alias.replace(`-${key}`, '')}`);
          }
          return Promise.resolve({ type: 'acknowledged' });
        },
      },
    };
    return { ...cluster, index: (name: string) => ({ ...this.createIndex(name), cluster }) };
  }

  private createIndex(index: string) {
    return {
      index,
      state: {
        describe: () =>
          Promise.resolve({ index, uuid: `uuid of ${index}`, settings: {}, aliases: new Map() }),
        readCheckpoints: () => Promise.resolve([]),
      },
      snapshots: {
        close: (ids: readonly string[]) => {
          if (this.closeFails !== undefined) return Promise.reject(this.closeFails);
          return this.note(`closed ${ids.join()}`).then(() => []);
        },
      },
      aliases: {
        list: (pattern: string) => {
          const start = pattern.replace(/\*$/, '');
          return Promise.resolve([...this.aliases].filter((name) => name.startsWith(start)));
        },
      },
      settings: {
        put: (settings: object) => this.note(`${index} ${JSON.stringify(settings)}`),
        readWriteBlock: () => {
          this.onBlockRead();
          return Promise.resolve(this.blockStates.shift() ?? 'none');
        },
        blockWrites: () => this.note('asked for the block'),
      },
      tasks: {
        listBulks: () => Promise.resolve({ running: this.bulks.splice(0, 1), answered: ['node'] }),
        listWrites: () => Promise.resolve({ running: [], answered: ['node'] }),
      },
    };
  }

  private note(text: string): Promise<void> {
    this.done.push(text);
    return Promise.resolve();
  }
}

/** What drives the bench's migration; no job is ever answered. */
export function coordinatorOf(
  { context }: ClearBench,
  parts: Partial<CoordinatorContext>,
): CoordinatorContext {
  const never = () => new Promise<never>(() => undefined);
  return {
    ...context,
    jobs: {
      ensureShardJobs: never,
      hurryReplays: never,
      ensureVerifyJob: never,
      replaceShardJob: never,
      dropShardJobs: never,
    },
    liveness: undefined,
    blocks: new BlockWatch(context.clock),
    timing: { ...context.timing, writeBlockMaxMs: 60_000, staleAfterMs: 0 },
    clusterUuid: 'c',
    ...parts,
  };
}
