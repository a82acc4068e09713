import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type {
  LogEvent,
  MigrationRecord,
  ResolvedOptions,
  ShardRecord,
  VerificationRecord,
} from '@aosc/contract';
import { isTerminalPhase, type ShardJobKind } from '@aosc/domain';
import {
  advanceMigration,
  type AdvanceResult,
  BlockWatch,
  type Clock,
  ClusterError,
  type CoordinatorContext,
  type CoordinatorTiming,
  type JobResult,
  liftWithoutRecord,
  type LogPort,
  NodeWatch,
  type Permit,
  PrintMemory,
  runShardJob,
  runVerification,
  ShardWatch,
  type UnwrittenLift,
} from '@aosc/engine';
import { systemClock } from '@aosc/runtime';
import {
  compareIndices,
  describeMismatches,
  type ExpectedTransform,
  moveRead,
  readIndexSettings,
} from '@aosc/testkit';
import { type ToldMigration, toldMigration } from '../../support/told-migration';
import type { Cluster } from './cluster';
import { type Faults, withFaults } from './faults';
import { digest } from './digest';
import { createSmallPacing, type PacingSizes } from './pacing';
import { createRecords } from './records';

interface JobOptions {
  readonly faults?: Faults;
  /** takes the shard from an owner that is alive as far as anybody can see */
  readonly takeOver?: boolean;
  /** the process dies: nothing is written any more, nothing is handed back */
  readonly kill?: AbortSignal;
  /** the process gets the signal to end: it hands back what it has */
  readonly stop?: AbortSignal;
  /** without one the job reads from any node */
  readonly permit?: Permit;
  /** of the process that has the job; left out: the scheduler's */
  readonly nodes?: NodeWatch;
}

interface DueJob {
  readonly kind: ShardJobKind;
  readonly shard: number;
}

/**
 * One migration whose processes are calls of the test: the scheduler's step and each shard's job run when the
 * test says so, on the real cluster.
 */
export interface Harness {
  readonly key: string;
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  /** of the target before the migration, with those that a migration may override; null: it was not set */
  readonly targetSettings: Readonly<Record<string, string | null>>;
  /** of the source before the migration, with those that a write hold may change */
  readonly sourceSettings: Readonly<Record<string, string | null>>;
  /** what the engine has logged so far */
  readonly events: readonly LogEvent[];
  record(): Promise<ToldMigration>;
  shard(shard: number): Promise<ShardRecord>;
  shards(): Promise<readonly ShardRecord[]>;
  /** One run of the scheduler's job. */
  advance(faults?: Faults, timing?: Partial<CoordinatorTiming>): Promise<AdvanceResult>;
  /** As the watchdog does for a block whose drive takes long. */
  liftWithoutRecord(): Promise<UnwrittenLift>;
  /** Steps of the scheduler until the target is prepared. @throws Error when the migration ends before that */
  prepare(faults?: Faults): Promise<void>;
  /** One job on one shard. */
  job(kind: ShardJobKind, shard: number, options?: JobOptions): Promise<JobResult>;
  /**
   * One job of the verification, if one is running.
   * @param onDocuments told of documents of the source as they are read
   * @returns the newest verification; undefined: none was asked for
   */
  verify(kill: AbortSignal, onDocuments?: () => void): Promise<VerificationRecord | undefined>;
  /** The scheduler's first step and the backfill of every shard. */
  backfill(faults?: Faults): Promise<void>;
  /** One replay round of every shard. */
  round(faults?: Faults): Promise<void>;
  /** The jobs that the scheduler has queued since the last call. */
  takeDue(): readonly DueJob[];
  /** Scheduler and jobs in turn until the migration is in the phase, or has ended. */
  runUntil(phase: MigrationRecord['phase'], faults?: Faults): Promise<ToldMigration>;
  /** So much time passes for scheduler and jobs. */
  passTime(ms: number): void;
  /** Sets the wall clock of scheduler and jobs ahead, or back, as an operator might. */
  jumpClock(ms: number): void;
  /** Asks for the end, as `_cancel` does. @param parts what else is written, as `_clear_state` does */
  cancel(parts?: Partial<MigrationRecord>): Promise<void>;
  /** Compares source and target document by document. */
  expectExact(): Promise<void>;
}

export interface HarnessOptions {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  readonly options?: Partial<ResolvedOptions>;
  readonly pacing?: PacingSizes;
  readonly transform?: {
    readonly record: NonNullable<MigrationRecord['transform']>;
    /** the same in the test's words */
    readonly expected: ExpectedTransform;
  };
  /** the migration makes its target of files */
  readonly byFiles?: { readonly shards: number };
  /** of the scheduler, where it is not to be the usual one */
  readonly timing?: Partial<CoordinatorTiming>;
  /** default: longer than any test */
  readonly lostNodeWaitMs?: number;
  /** left out: writers are not held before the block */
  readonly holds?: ReturnType<NonNullable<CoordinatorContext['cutover']>> | undefined;
  /** how long a converged shard rests; default: it is replayed by each job */
  readonly convergedRestMs?: number;
  /** for prints of swept documents; default: enough for all of them */
  readonly printMemoryBytes?: number;
  /** what the scheduler learns of workers; default: it does not ask */
  readonly countWorkers?: () => Promise<number>;
}

const heldSettings = [
  'index.routing.allocation.enable',
  'index.number_of_replicas',
  'index.write.wait_for_active_shards',
];
const maxPasses = 400;
const maxClaims = 30;
const coordinatorTiming: CoordinatorTiming = {
  requestTimeoutMs: 30_000,
  writeBlockMaxMs: 120_000,
  guardMs: 0,
  staleAfterMs: 15_000,
};
/** between two passes of the scheduler, when nothing is there to do */
const idleMs = 20;

/** The scheduler drives a migration on again when a primary moved, or a shard of a closed index had not started yet. */
function unlessItPasses(error: unknown): void {
  if (!(error instanceof ClusterError && error.kind === 'transient')) throw error;
}

export async function createHarness(cluster: Cluster, names: HarnessOptions): Promise<Harness> {
  const { store } = cluster;
  const { holds } = names;
  const ports = { cluster: cluster.ports, store };
  const never = new AbortController().signal;
  setMaxListeners(0, never); // all jobs that run side by side listen to it
  const call = { signal: never };
  const before = await readIndexSettings(cluster.http, names.byFiles ? names.source : names.target);
  const ofSource = await readIndexSettings(cluster.http, names.source);
  const key = await createRecords(ports, names, names.options, names.transform?.record, names.byFiles);
  const pacing = createSmallPacing(names.pacing);
  const printMemory = new PrintMemory(names.printMemoryBytes ?? 2 ** 26, digest);
  const events: LogEvent[] = [];
  const log: LogPort = {
    debug: (event) => events.push(event),
    info: (event) => events.push(event),
    warn: (event) => events.push(event),
    error: (event) => events.push(event),
  };
  const queued = new Map<string, DueJob>();
  const nodes = new NodeWatch(cluster.ports, systemClock, names.lostNodeWaitMs ?? 3_600_000);
  let jobs = 0;
  let passed = 0;
  let jumped = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + passed + jumped,
    monotonic: () => systemClock.monotonic() + passed,
  };
  const blocks = new BlockWatch(clock);
  const shardWatch = new ShardWatch(() => clock.monotonic());

  const record = async (): Promise<ToldMigration> => {
    const stored = await store.readMigration(key, call);
    if (stored === undefined) throw new Error('the migration is not in the store');
    return toldMigration(stored.record);
  };
  const shards = async (): Promise<readonly ShardRecord[]> => {
    const { sourceShardCount } = await record();
    const stored = await store.readShards(key, sourceShardCount, call);
    return stored.map((each) => each.record);
  };
  const shardOf = async (shard: number): Promise<ShardRecord> => {
    const found = (await shards())[shard];
    if (found === undefined) throw new Error(`there is no shard ${shard}`);
    return found;
  };

  const { transientTargetSettings } = (await record()).options;
  const overridable = ['index.gc_deletes', 'index.final_pipeline', ...Object.keys(transientTargetSettings)];

  const queue = (kind: ShardJobKind, shard: number): void => {
    queued.set(`${kind} ${shard}`, { kind, shard });
  };
  const contextOf = (faults?: Faults, timing?: Partial<CoordinatorTiming>): CoordinatorContext => ({
    ...withFaults(ports, names, faults),
    jobs: {
      ensureShardJobs(kind, _key, places) {
        for (const { shard } of places) queue(kind, shard);
        return Promise.resolve();
      },
      replaceShardJob(kind, _key, { shard }) {
        queue(kind, shard);
        return Promise.resolve();
      },
      ensureVerifyJob: () => Promise.resolve(),
      // The harness knows no rests: it runs what is due at once.
      hurryReplays: () => Promise.resolve(),
      dropShardJobs() {
        queued.clear();
        return Promise.resolve();
      },
    },
    liveness:
      names.countWorkers === undefined
        ? undefined
        : {
            watch: shardWatch,
            settings: () => ({ checkIntervalMs: 30_000, timeoutMs: 300_000, permits: 2 }),
            countWorkers: names.countWorkers,
            onOwnerLost: () => undefined,
          },
    blocks,
    refused: cluster.refused,
    ...(holds && { cutover: () => holds }),
    nodes,
    clock,
    log,
    timing: { ...coordinatorTiming, ...names.timing, ...timing },
    metrics: { writeBlockEnded: () => undefined, migrationEnded: () => undefined },
    clusterUuid: undefined,
    signal: never,
    assertMandate: () => undefined,
  });
  const advance: Harness['advance'] = (faults, timing) => advanceMigration(contextOf(faults, timing), key);

  const jobTiming = {
    heartbeatMs: 1000,
    staleAfterMs: 60_000,
    confirmMs: 0,
    snapshotKeepAliveMs: 120_000,
    requestTimeoutMs: 30_000,
    replayIntervalMs: 0,
    convergedRestMs: names.convergedRestMs ?? 0,
    sliceMs: 0,
  };
  const verify: Harness['verify'] = async (kill, onDocuments = () => undefined) => {
    const newest = async () => (await store.readVerification(key, call))?.record;
    const found = await newest();
    if (found?.phase !== 'running') return found;
    await runVerification(
      {
        source: ports.cluster.index(names.source),
        target: ports.cluster.index(names.target),
        store,
        clock,
        log,
        timing: jobTiming,
        migration: await record(),
        pacing: pacing.replay(),
        permits: () => 1,
        printMemory,
        hashOf: (bytes) => hash('sha256', bytes, 'hex'),
        onDocuments,
      },
      kill,
    );
    return newest();
  };

  const runJob: Harness['job'] = async (
    kind,
    shard,
    { faults, takeOver = false, kill = never, stop = never, permit, nodes: own = nodes } = {},
  ) => {
    const faulty = withFaults(ports, names, faults);
    return runShardJob(
      kind,
      {
        source: faulty.cluster.index(names.source),
        target: faulty.cluster.index(names.target),
        store: faulty.store,
        refused: cluster.refused,
        nodes: own,
        clock,
        log,
        timing: { ...jobTiming, staleAfterMs: takeOver ? 0 : jobTiming.staleAfterMs },
        migration: await record(),
        shard,
        ...(permit === undefined ? {} : { permit }),
        pacing,
        printMemory,
        metrics: {
          documentsCopied: () => undefined,
          operationsReplayed: () => undefined,
          ownerLost: () => undefined,
          flowing: () => undefined,
          bulkSent: () => undefined,
        },
      },
      `job-${++jobs}`,
      { stop, kill, assertInTime: () => undefined },
      () => Promise.resolve(),
    );
  };

  const job: Harness['job'] = async (kind, shard, options = {}) => {
    if (options.takeOver !== true) return runJob(kind, shard, options);
    const before = (await shardOf(shard)).writer;
    for (let tries = 1; ; tries++) {
      const result = await runJob(kind, shard, options);
      // A beat of the owner came between the look at the record and the claim: it owns the shard as before.
      const { owner, epoch } = (await shardOf(shard)).writer;
      const wasRefused = owner !== undefined && owner === before.owner && epoch === before.epoch;
      if (result.type !== 'again' || !wasRefused) return result;
      if (tries === maxClaims) throw new Error(`shard ${shard} could not be taken over ${maxClaims} times`);
    }
  };

  const onEachShard = async (kind: ShardJobKind, faults?: Faults): Promise<void> => {
    const { sourceShardCount } = await record();
    for (let shard = 0; shard < sourceShardCount; shard++) {
      await job(kind, shard, faults === undefined ? {} : { faults });
      const { phase, error } = await shardOf(shard);
      if (phase === 'FAILING') throw new Error(`shard ${shard} failed: ${error ?? '?'}`);
    }
  };

  const takeDue = (): readonly DueJob[] => {
    const due = [...queued.values()];
    queued.clear();
    return due;
  };

  return {
    key,
    source: names.source,
    target: names.target,
    alias: names.alias,
    sourceSettings: Object.fromEntries(heldSettings.map((name) => [name, ofSource[name] ?? null])),
    targetSettings: {
      ...Object.fromEntries(overridable.map((name) => [name, null])),
      ...before,
    },
    events,
    record,
    shard: shardOf,
    shards,
    advance,
    liftWithoutRecord: async () => liftWithoutRecord(contextOf(), await record(), record),
    async prepare(faults) {
      for (;;) {
        const { targetPrepared, phase, errorMessage = '' } = await record();
        if (targetPrepared) return;
        if (isTerminalPhase(phase))
          throw new Error(`${phase} before the target was prepared: ${errorMessage}`);
        await advance(faults);
      }
    },
    job,
    verify,
    async backfill(faults) {
      await advance();
      await onEachShard('backfill', faults);
    },
    takeDue,
    round: (faults) => onEachShard('replay', faults),
    async runUntil(phase, faults) {
      for (let pass = 0; pass < maxPasses; pass++) {
        // Where the test makes faults, it wants to see what they lead to.
        await (faults === undefined ? advance().catch(unlessItPasses) : advance(faults));
        const now = await record();
        if (now.phase === phase || isTerminalPhase(now.phase)) return now;
        const due = takeDue();
        for (const { kind, shard } of due) await job(kind, shard, faults === undefined ? {} : { faults });
        if (due.length === 0) await systemClock.sleep(idleMs, never);
      }
      throw new Error(`the migration does not get to ${phase}: ${JSON.stringify(await record())}`);
    },
    passTime(ms) {
      passed += ms;
    },
    jumpClock(ms) {
      jumped += ms;
    },
    async cancel(parts) {
      const stored = await store.readMigration(key, call);
      if (stored === undefined) throw new Error('the migration is not in the store');
      const cancelled = { ...moveRead(stored.record, 'CANCELLING', Date.now()), ...parts };
      await store.replaceMigration(stored, cancelled, call);
    },
    async expectExact() {
      const { mismatches } = await compareIndices({
        urls: cluster.urls,
        source: names.source,
        target: names.target,
        ...(names.transform && { transform: names.transform.expected }),
      });
      expect({ total: mismatches.total, lines: describeMismatches(mismatches) }).toEqual({
        total: 0,
        lines: [],
      });
    },
  };
}
