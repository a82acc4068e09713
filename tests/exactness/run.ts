import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VerificationRecord } from '@aosc/contract';
import { isTerminalPhase, type ShardJobKind } from '@aosc/domain';
import { isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import {
  compareByKey,
  compareIndices,
  createRandom,
  deleteIndices,
  describeMismatches,
  type ExpectedTransform,
  findLeftovers,
  readByKey,
} from '@aosc/testkit';
import type { Cluster } from '../races/support/cluster';
import { createHarness, type Harness } from '../races/support/harness';
import { readCopies } from '../support/allocation';
import { shownKey } from '../support/key-fate';
import { countBySearches, type Ground } from '../support/ground';
import { type Application, createApplication, type Tally } from './application';
import { createIndices } from './indices';
import { findTwinRoutings } from './keys';
import { planFate } from './odd-keys';
import { describePlan, drawPlan, type Plan } from './plan';
import { decide, judgeMissing } from './refusals';
import { transformOf } from './transforms';
import { createUnrest, type Unrest, type UnrestTally } from './unrest';

export const outcomes = ['exact', 'failed_as_it_must', 'wrong', 'interrupted'] as const;
/** interrupted: the process got a signal to end, so the run proves nothing */
export type Outcome = (typeof outcomes)[number];

/** A run as it is kept: one line of JSON. */
export interface RunResult extends Tally, UnrestTally {
  /** when the run began, ISO 8601 */
  readonly at: string;
  readonly seed: number;
  readonly plan: string;
  readonly outcome: Outcome;
  /** what is wrong; empty when nothing is */
  readonly problems: readonly string[];
  readonly documents: number;
  readonly rounds: number;
  readonly snapshotsLost: number;
  readonly takeovers: number;
  readonly elapsedMs: number;
}

/**
 * A run takes seconds. It hangs when it has done nothing for this long, or has gone on for `longestMs`: on a machine
 * with a load of 16 a run took eight times as long as on a quiet one, with the same steps.
 */
const stillMs = 150_000;
/** Below the limit of the tests that run a few seeds. */
const longestMs = 500_000;
/** What a run says while it gets nowhere. */
const futile: ReadonlySet<string> = new Set(['read_retry', 'heartbeat_failed']);
/** Longer than the last rounds take on a busy machine: a write that is not held ends an attempt often enough. */
const holdMs = 20_000;
const looksMs = 1000;
const idleMs = 20;

/**
 * One migration from its first step to its end, with everything that the seed has drawn going on around it.
 * @param ground of the cluster
 * @param interrupt ends it before its time
 */
export async function runSeed(
  cluster: Cluster,
  seed: number,
  ground: Ground = 'plain',
  interrupt: AbortSignal = new AbortController().signal,
): Promise<RunResult> {
  const plan = drawPlan(seed, ground);
  const prefix = `exact-${seed}-${randomBytes(3).toString('hex')}`;
  const names = { source: `${prefix}-source`, target: `${prefix}-target`, alias: prefix };
  const at = new Date().toISOString();
  const still = new AbortController();
  const signal = timeLimit(longestMs, interrupt, still.signal);
  setMaxListeners(0, signal); // every job of the run listens to it
  const began = performance.now();
  const application = createApplication(cluster.http, names.source, plan);
  const unrest = createUnrest(cluster, names.source, plan, application, signal);
  const run = new Run(cluster, plan, names, application, unrest, signal);
  const problems: string[] = [];
  const watch = abortWhenStill(() => run.steps(), still);
  try {
    problems.push(...(await untilAborted(run.execute(), signal)));
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    clearInterval(watch);
  }
  if (problems.length > 0) problems.push(await run.describeState());
  await unrest.settled().catch(() => undefined); // a failure is among the problems already
  await deleteIndices(cluster.http, [names.source, names.target]);
  const judged = problems.length > 0 ? 'wrong' : run.failedAsItMust ? 'failed_as_it_must' : 'exact';
  return {
    at,
    seed,
    plan: describePlan(plan),
    outcome: interrupt.aborted ? 'interrupted' : judged,
    problems,
    documents: run.documents,
    ...application.tally,
    ...unrest.tally,
    ...run.counts(),
    elapsedMs: Math.round(performance.now() - began),
  };
}

class Run {
  failedAsItMust = false;
  documents = 0;
  private takeovers = 0;
  private harness: Harness | undefined;
  private readonly random;
  /** Routings of two documents with one id; undefined too where the shards of source and target are such that none meet. */
  private readonly twins: readonly [string, string] | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly plan: Plan,
    private readonly names: { readonly source: string; readonly target: string; readonly alias: string },
    private readonly application: Application,
    private readonly unrest: Unrest,
    private readonly signal: AbortSignal,
  ) {
    this.random = createRandom(plan.seed + 3);
    this.twins = plan.twins ? findTwinRoutings(plan, 'twin') : undefined;
  }

  /** @returns what is wrong */
  async execute(): Promise<readonly string[]> {
    const { cluster, plan, names, application, unrest, signal } = this;
    if (plan.restartsNode) await this.restartNode();
    await createIndices(cluster.http, plan, names);
    if (plan.refuses !== 'none') await cluster.refused.ensure({ signal });
    if (plan.ground !== 'plain') await this.untilRest();
    await application.write(plan.loadOperations, signal);
    const transform = transformOf(plan.transform);
    const harness = await createHarness(cluster, {
      ...names,
      pacing: plan.pacing,
      options: {
        convergenceThresholdPerShard: plan.convergenceThreshold,
        // How long shards take to start says nothing on a busy machine: a run that stands still is found by its steps.
        targetReadyTimeoutSeconds: longestMs / 1000,
        ...(plan.verifies !== 'count' && { verify: 'content' }),
        ...(plan.verifies === 'rehearse' && { rehearse: true }),
        ...(plan.refuses !== 'none' && { onDocumentError: 'set_aside' }),
      },
      ...(transform && { transform }),
      ...(plan.byFiles && { byFiles: { shards: plan.target.shardCount } }),
      holds: { holdWriters: plan.holdsWriters, maxHoldMs: holdMs, maxPauseMs: Infinity },
      // Every third run leaves converged shards their rest. It is not drawn: the seeds keep their plans. A rehearsal has no
      // last rounds, so a gap that its shards left for them would be a difference.
      convergedRestMs: plan.seed % 3 === 0 && plan.verifies !== 'rehearse' ? 1000 : 0,
    });
    this.harness = harness;
    // The documents that are written while the files are linked are in the target, or not.
    const whileLinking = plan.byFiles ? Math.ceil(plan.liveOperations / 2) : 0;
    await Promise.all([harness.prepare(), application.write(whileLinking, signal)]);
    const rounds = plan.rounds + 2;
    const each = Math.ceil(plan.liveOperations / rounds);
    const around = (operations: number): Promise<void> => application.write(operations, signal);

    await Promise.all([this.onEachShard(harness, 'backfill'), around(each)]);
    for (let round = 0; round < plan.rounds; round++) {
      await around(Math.ceil(each / 2));
      if (this.random.next() < 0.5) await unrest.maintain();
      await Promise.all([this.onEachShard(harness, 'replay'), around(Math.ceil(each / 2))]);
    }
    if (this.twins !== undefined) await this.writeTwins(harness, this.twins);
    if (plan.verifies === 'rehearse') {
      // Its target is what the source was at its end, so the source stands still by then.
      await around(each);
      unrest.stopWriting();
      await unrest.settled();
      await this.onEachShard(harness, 'replay');
      await this.finish(harness);
    } else await Promise.all([this.finish(harness), around(each)]);
    await unrest.settled();
    return [...(await this.judgeSearches(harness)), ...(await this.judge(harness))];
  }

  counts(): Pick<RunResult, 'rounds' | 'snapshotsLost' | 'takeovers'> {
    const events = this.harness?.events ?? [];
    return {
      rounds: events.filter((event) => event === 'round_complete').length,
      snapshotsLost: events.filter((event) => event === 'snapshot_lost').length,
      takeovers: this.takeovers,
    };
  }

  /** @returns a number that grows whenever the run has come a step further */
  steps(): number {
    const done = this.harness?.events.filter((event) => !futile.has(event)) ?? [];
    return done.length + this.application.tally.operations;
  }

  async describeState(): Promise<string> {
    if (this.harness === undefined) return 'the migration was not created';
    const { phase, errorMessage, waits } = await this.harness.record();
    const texts = waits.map(({ text }) => text).join('; ');
    const shards = (await this.harness.shards()).map((shard) => `${shard.shard} ${shard.phase}`);
    return `${phase} ${errorMessage ?? ''} [${shards.join(', ')}] waits: ${texts}. ${this.harness.events.slice(-60).join(' ')}`;
  }

  /** The service on its own: the scheduler's steps, and the jobs that it queues, several at the same time. */
  private async finish(harness: Harness): Promise<void> {
    let verifying: Promise<unknown> | undefined;
    while (!this.signal.aborted) {
      await harness.advance();
      if (isTerminalPhase((await harness.record()).phase)) break;
      if (this.plan.verifies !== 'count')
        verifying ??= this.verify(harness).finally(() => (verifying = undefined));
      if (this.plan.refuses !== 'none') await decide(this.cluster, harness, this.plan.refuses === 'accepted');
      const due = harness.takeDue();
      await Promise.all(due.map(({ kind, shard }) => this.work(harness, kind, shard)));
      if (due.length === 0) await sleep(idleMs);
    }
    await verifying;
  }

  /** Its checker may die on the way, and then another one goes on. */
  private async verify(harness: Harness): Promise<VerificationRecord | undefined> {
    const { random, plan, signal } = this;
    const dying = new AbortController();
    let pages = random.next() < plan.takeovers ? 1 + random.below(20) : Infinity;
    const die = (): void => {
      if (--pages === 0) dying.abort(new Error('killed'));
    };
    try {
      return await harness.verify(AbortSignal.any([signal, dying.signal]), die);
    } catch (error) {
      // The service would try again.
      if (dying.signal.aborted || isClusterError(error)) return undefined;
      throw error;
    }
  }

  /** A verification finds nothing and never fails, whatever goes on. */
  private async judgeVerification(harness: Harness, completed: boolean): Promise<readonly string[]> {
    if (this.plan.verifies === 'count') return [];
    const { rehearsal } = await harness.record();
    let found = await this.verify(harness);
    while (completed && found?.phase !== 'done' && found?.phase !== 'failed' && !this.signal.aborted)
      found = await this.verify(harness);
    if (found === undefined) return ['it was not verified'];
    const { phase, reason, counts, unsettled } = found;
    const isExact =
      phase === 'done' &&
      reason === undefined &&
      unsettled === 0 &&
      Object.values(counts).every((each) => each === 0);
    return [
      ...(isExact ? [] : [`the verification: ${JSON.stringify({ phase, reason, counts, unsettled })}`]),
      ...(completed || rehearsal?.outcome === 'exact' ? [] : [`rehearsed: ${JSON.stringify(rehearsal)}`]),
    ];
  }

  private async onEachShard(harness: Harness, kind: ShardJobKind): Promise<void> {
    const shards = Array.from({ length: this.plan.source.shardCount }, (_, shard) => shard);
    await Promise.all(shards.map((shard) => this.work(harness, kind, shard)));
  }

  /** One job, unless its worker dies on the way or is taken for dead: then another one follows. */
  private async work(harness: Harness, kind: ShardJobKind, shard: number): Promise<void> {
    const { random, plan, unrest, signal } = this;
    if (random.next() >= plan.takeovers) {
      await harness.job(kind, shard, { faults: unrest.faults(() => undefined), kill: signal });
      return;
    }
    this.takeovers += 1;
    const dies = random.next() < 0.5;
    const kill = new AbortController();
    let calls = 1 + random.below(12);
    const reached = new AbortController();
    const faults = unrest.faults(() => {
      if (--calls > 0) return;
      if (dies) kill.abort(new Error('killed'));
      reached.abort();
    });
    const first = harness.job(kind, shard, { faults, kill: AbortSignal.any([kill.signal, signal]) });
    await Promise.race([once(reached.signal, 'abort'), first]);
    await harness.job(kind, shard, {
      faults: unrest.faults(() => undefined),
      takeOver: true,
      kill: signal,
    });
    await first;
  }

  private async restartNode(): Promise<void> {
    const { nodes } = this.cluster;
    await nodes[this.plan.seed % nodes.length]?.restart();
    await this.untilRest();
  }

  private async untilRest(): Promise<void> {
    const { cluster } = this;
    const members = cluster.nodes.length > 0 ? `wait_for_nodes=${cluster.nodes.length}&` : '';
    const settled = 'wait_for_no_initializing_shards=true&wait_for_no_relocating_shards=true&timeout=60s';
    await cluster.send('GET', `/_cluster/health?${members}${settled}`);
  }

  private async writeTwins(harness: Harness, routings: readonly string[]): Promise<void> {
    for (const routing of routings) {
      await this.cluster.put(harness.source, { id: 'twin', routing }, '{"title":"twin"}');
    }
  }

  /** The cluster's one node holds only primaries, and each must be there. */
  private async findMissingCopies(completed: boolean): Promise<readonly string[]> {
    const { source, target } = this.names;
    const problems: string[] = [];
    for (const index of completed ? [source, target] : [source]) {
      for (const { shard, primary, state } of await readCopies(this.cluster.http, index)) {
        if (primary && state !== 'STARTED') problems.push(`primary ${shard} of ${index} is ${state}`);
      }
    }
    return problems;
  }

  private async judge(harness: Harness): Promise<readonly string[]> {
    const { cluster, plan, names } = this;
    const { phase, errorMessage = '' } = await harness.record();
    const completed = phase === 'COMPLETED';
    const leftovers = await findLeftovers({
      urls: cluster.urls,
      ...names,
      key: harness.key,
      sourceSettings: harness.sourceSettings,
      writeBlockExpected: completed,
    });
    // what a worker had opened and not yet written down when it died closes by itself
    const problems = leftovers.filter(
      (line) => this.takeovers === 0 || !line.includes('open points in time'),
    );
    problems.push(...(await this.findMissingCopies(completed)));
    const rehearsed = plan.verifies === 'rehearse' && phase === 'CANCELLED';
    if (completed || rehearsed) problems.push(...(await this.judgeVerification(harness, completed)));
    if (completed && plan.verifies === 'rehearse') problems.push('a rehearsal has moved the alias');
    if (!completed && !rehearsed && (phase !== 'FAILED' || !this.mayFailFor(errorMessage))) {
      problems.push(`ended in ${phase}: ${errorMessage}`);
    }
    if (completed && this.twins !== undefined)
      problems.push('completed although two documents share an id in the target');
    this.failedAsItMust = !completed && !rehearsed;
    const call = { signal: timeLimit(30_000) };
    const [holder, ...others] = await cluster.ports.aliases.indicesOf(names.alias, call);
    if (holder !== (completed ? names.target : names.source) || others.length > 0) {
      problems.push(`the alias is on ${String(holder)} and ${others.length} others`);
    }
    if (!completed && !rehearsed) return problems;
    const transform = transformOf(plan.transform)?.expected;
    const report = await compareIndices({
      urls: cluster.urls,
      source: names.source,
      target: names.target,
      ...(transform && { transform }),
    });
    this.documents = report.sourceDocuments;
    if (plan.refuses === 'accepted') return [...problems, ...(await judgeMissing(harness, report))];
    if (report.mismatches.total > 0) {
      problems.push(`${report.mismatches.total} differences`, ...describeMismatches(report.mismatches));
    }
    return [...problems, ...(await this.judgeByKey(transform))];
  }

  /** Before anything is refreshed: searches through the alias find all that the target has. */
  private async judgeSearches(harness: Harness): Promise<readonly string[]> {
    const { cluster, plan, names } = this;
    if (plan.ground !== 'search_replicas' || (await harness.record()).phase !== 'COMPLETED') return [];
    const ask = (method: 'POST', path: string, body?: object): Promise<unknown> =>
      cluster.send(method, path, body);
    const found = await countBySearches(ask, names.alias, { match_all: {} });
    await ask('POST', `/${names.target}/_refresh`);
    const [all] = await countBySearches(
      ask,
      names.target,
      { match_all: {} },
      { preference: '_primary', times: 1 },
    );
    return found.every((count) => count === all)
      ? []
      : [`searches right after the swap found ${found.join(', ')} of ${String(all)}`];
  }

  /** A search finds documents that their own application may not find. */
  private async judgeByKey(transform: ExpectedTransform | undefined): Promise<readonly string[]> {
    const { cluster, names, application, plan } = this;
    const { keys } = application;
    const { source, target } = names;
    const mismatches = await compareByKey(cluster.http, {
      source,
      target,
      keys,
      ...(transform && { transform }),
    });
    const problems =
      mismatches.total === 0
        ? []
        : [
            `${mismatches.total} differences under the application's own keys`,
            ...describeMismatches(mismatches),
          ];
    const lost = keys.filter((key) => planFate(plan, key) === 'named');
    const found = await readByKey(cluster.http, source, lost);
    lost.forEach(({ id }, at) => {
      if (found[at] !== undefined)
        problems.push(`completed although ${JSON.stringify(id)} has an unknown place`);
    });
    return problems;
  }

  private mayFailFor(reason: string): boolean {
    const { plan, unrest, application } = this;
    if (this.twins !== undefined) {
      return /Doc count validation failed|share the target id \[twin\]|met another one in their place/.test(
        reason,
      );
    }
    if (
      plan.transform === 'rewrites_ids' &&
      unrest.tally.snapshotsClosed > 0 &&
      reason.includes('the transform may rewrite ids')
    )
      return true;
    const named = application.keys.filter((key) => planFate(plan, key) !== 'kept').map(shownKey);
    return reason.includes('U+FFFD') && named.some(({ id }) => reason.includes(`document [${id}]`));
  }
}

/** Aborts `still` once `steps` has not changed for `stillMs`. */
function abortWhenStill(steps: () => number, still: AbortController): NodeJS.Timeout {
  let seen = steps();
  let looks = 0;
  // Looks are counted, not time: a process that had no processor says nothing about the run.
  return setInterval(() => {
    const now = steps();
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks * looksMs >= stillMs) still.abort(new Error(`nothing has happened in ${stillMs} ms`));
  }, looksMs);
}

/** A hang must not keep the next run from starting. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(new Error(`no end: ${String(signal.reason)}`, { cause: signal.reason }));
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject);
  });
}
