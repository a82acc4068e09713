import { setTimeout as sleep } from 'node:timers/promises';
import { createParser, type MigrationRecord } from '@aosc/contract';
import { migrationKey } from '@aosc/store';
import {
  compareIndices,
  createRandom,
  createSourceIndex,
  createTargetIndex,
  findLeftovers,
  loadDocuments,
  makeDocument,
  readIndexSettings,
  startMigration,
  startWriters,
  verifyAgainstModel,
  type Writers,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { followThePage } from '../support/break-glass-page';
import { isRepetition } from '../support/expectations';
import { flushRedis } from '../support/redis';
import { type Arena, writeBlockMaxMs } from './arena';
import { isOver, type Victim } from './fault';
import { describeWrong, judgeEnd, strayWrites } from './judge';
import { describePlan, type Plan } from './plan';
import { type Probe, startProbe } from './probe';
import { letConverge, reach, readRecord } from './reach';

/** One line of the results. */
export interface RunResult {
  readonly seed: number;
  readonly fault: string;
  /** where the fault was to come */
  readonly planned: string;
  /** where the migration was when it came */
  readonly phase: string;
  readonly plan: string;
  readonly end: string;
  readonly reason: string | undefined;
  /** what must not be; empty: all is as it must be */
  readonly problems: readonly string[];
  readonly elapsedMs: number;
  /** how long the fault lasted */
  readonly faultMs: number;
  /** from the fault's end to the migration's */
  readonly settledMs: number;
  readonly longestBlockMs: number;
  readonly operations: number;
  readonly at: string;
}

const parseHolders = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

/** A migration must have ended so long after the fault at the latest. */
export const settleBoundMs = 120_000;
/** Beside what the block's own bound and the fault explain: a busy machine. */
const blockSlackMs = 10_000;
const recoveryMs = 60_000;
const borrowedSettings = [
  'index.number_of_replicas',
  'index.refresh_interval',
  'index.gc_deletes',
  'index.final_pipeline',
] as const;

/** One migration with one fault, and the verdict. @throws when the servers don't come back for the next run */
export async function runPlan(arena: Arena, plan: Plan): Promise<RunResult> {
  const begun = performance.now();
  const names = {
    source: `chaos-${plan.seed}-v1`,
    target: `chaos-${plan.seed}-v2`,
    alias: `chaos-${plan.seed}`,
  };
  const { http, urls, apiUrl } = arena.environment;
  const ids = Array.from({ length: plan.documents }, (_, n) => `loaded-${n}`);
  await createSourceIndex(http, {
    name: names.source,
    alias: names.alias,
    shards: plan.sourceShards,
    routingShards: 48,
    replicas: 1,
  });
  await createTargetIndex(http, {
    name: names.target,
    shards: plan.targetShards,
    routingShards: 48,
    replicas: 1,
  });
  await loadDocuments(http, names.alias, listDocuments(plan.seed, ids));
  const before = await readIndexSettings(http, names.target);
  const writers = startWriters({ urls, alias: names.alias, rate: plan.rate, adopt: ids, seed: plan.seed });
  const probe = startProbe(urls, names.alias);
  try {
    const converging = plan.phase === 'CONVERGING';
    const id = await startMigration(apiUrl, {
      ...names,
      options: {
        accept_data_loss_if_custom_routing_is_used: true,
        ...(converging && { convergence_threshold_per_shard: 0 }),
      },
    });
    const victim: Victim = { ...names, id, arena, random: createRandom(plan.seed + 1) };
    const struck = await reach(victim, plan);
    const strikeAt = performance.now();
    await plan.fault.strike(victim);
    const healedAt = performance.now();
    const lasting = plan.fault.destroys === undefined;
    if (converging && lasting) await letConverge(victim, writers, probe);
    const forgotten = plan.fault.destroys === 'records';
    const end = forgotten ? undefined : await waitForEnd(victim);
    const settledMs = Math.round(performance.now() - healedAt);
    const problems: string[] = [];
    if (forgotten) problems.push(...(await undoByHand(victim, probe)));
    else if (end === undefined) {
      problems.push(`not ended ${settleBoundMs} ms after the fault: ${(await readRecord(victim)).phase}`);
    } else {
      const wrong = judgeEnd(plan, struck, end);
      if (wrong !== undefined) problems.push(wrong);
      if (lasting) problems.push(...(await judgeWrites(victim, plan, end, writers, probe)));
    }
    const blockBoundMs = writeBlockMaxMs + (healedAt - strikeAt) + probe.unreachableMs() + blockSlackMs;
    if (probe.longestBlockMs() > blockBoundMs) {
      problems.push(
        `writes were blocked for ${probe.longestBlockMs()} ms; ${Math.round(blockBoundMs)} are explained`,
      );
    }
    await arena.restoreServers();
    if (end !== undefined) problems.push(...(await judgeRest(victim, plan, end, writers, before)));
    return {
      seed: plan.seed,
      fault: plan.fault.name,
      planned: plan.phase,
      phase: phaseOf(struck, plan),
      plan: describePlan(plan),
      end: end?.phase ?? (forgotten ? 'FORGOTTEN' : 'NOT ENDED'),
      reason: end?.errorMessage,
      problems,
      elapsedMs: Math.round(performance.now() - begun),
      faultMs: Math.round(healedAt - strikeAt),
      settledMs,
      longestBlockMs: probe.longestBlockMs(),
      operations: writers.stats().operations,
      at: new Date().toISOString(),
    };
  } finally {
    await writers.stop();
    await probe.stop();
  }
}

/** The coordinator's phase; in ACTIVE the shards' one that was waited for. */
function phaseOf({ phase }: MigrationRecord, plan: Plan): string {
  const inShards = plan.phase === 'BACKFILLING' || plan.phase === 'CONVERGING';
  return phase === 'ACTIVE' && inShards ? plan.phase : phase;
}

async function waitForEnd(victim: Victim): Promise<MigrationRecord | undefined> {
  const deadline = performance.now() + settleBoundMs;
  while (performance.now() < deadline) {
    const record = await readRecord(victim);
    if (isOver(record.phase)) return record;
    await sleep(200);
  }
  return undefined;
}

/** What docs/break-glass.md says for that day: the service is stopped, then its commands are run. */
async function undoByHand(victim: Victim, probe: Probe): Promise<readonly string[]> {
  const { arena, source, target } = victim;
  const { service, stack, urls, http } = arena.environment;
  await Promise.all([...service.workers, ...service.schedulers, service.api].map((each) => each.kill()));
  await flushRedis(stack.redisUrl);
  await followThePage(urls[0] ?? '', victim);
  const undone = Date.now();
  const deadline = performance.now() + recoveryMs;
  while (!probe.hasWrittenSince(undone) && performance.now() < deadline) await sleep(50);
  // The page has deleted the target: an incomplete copy.
  await createTargetIndex(http, { name: target, shards: 1 });
  const left = await findLeftovers({ urls, source, target });
  return [
    ...(probe.hasWrittenSince(undone) ? [] : ['no write through the alias after all was undone']),
    ...left.map((line) => `left behind: ${line}`),
  ];
}

/** Writes flow to where the alias belongs, and no acknowledged one is missing. */
async function judgeWrites(
  { arena, source, target, alias }: Victim,
  { fault }: Plan,
  end: MigrationRecord,
  writers: Writers,
  probe: Probe,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const now = Date.now();
  const deadline = performance.now() + recoveryMs;
  while (!probe.hasWrittenSince(now) && performance.now() < deadline) await sleep(50);
  if (!probe.hasWrittenSince(now)) problems.push(`no write through the alias after the end of the migration`);
  const home = end.phase === 'COMPLETED' ? target : source;
  const holders = Object.keys(parseHolders(await arena.ask('GET', `/_alias/${alias}`)));
  if (!holders.includes(home)) problems.push(`the alias is on ${holders.join()} instead of ${home}`);
  await writers.stop();
  await probe.stop();
  const { errors, problems: complaints } = writers.stats();
  const real = complaints.filter((complaint) => !(fault.disturbsWriters === true && isRepetition(complaint)));
  if (fault.disturbsWriters !== true && (errors > 0 || real.length > 0)) {
    problems.push(`writers: ${errors} errors; ${real.join('; ')}`);
  }
  return problems;
}

/** Nothing is missing, nothing differs, nothing is left. */
async function judgeRest(
  { arena, id, source, target, alias }: Victim,
  { fault }: Plan,
  end: MigrationRecord,
  writers: Writers,
  before: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { urls } = arena.environment;
  const { model } = writers;
  const problems: string[] = [];
  const completed = end.phase === 'COMPLETED';
  const told = strayWrites.test(end.errorMessage ?? '');
  if (fault.destroys === undefined && !told) {
    const verified = await verifyAgainstModel({ urls, index: completed ? target : source, model });
    if (verified.mismatches.total > 0)
      problems.push('acknowledged writes are missing:', ...describeWrong(verified.mismatches));
    if (completed) {
      const { mismatches } = await compareIndices({ urls, source, target, model });
      problems.push(...describeWrong(mismatches));
    }
  }
  const spoiled = fault.name === 'target_deleted' || fault.destroys !== undefined;
  if (spoiled) return problems;
  const left = async (): Promise<readonly string[]> =>
    findLeftovers({
      urls,
      source,
      target,
      key: migrationKey(id),
      targetSettings: Object.fromEntries(borrowedSettings.map((name) => [name, before[name] ?? null])),
      writeBlockExpected: completed,
    });
  // The guard's time is part of the promise: what comes late is gone by then.
  const deadline = performance.now() + recoveryMs;
  let found = await left();
  while (found.length > 0 && performance.now() < deadline) {
    await sleep(1000);
    found = await left();
  }
  return [...problems, ...found.map((line) => `left behind: ${line} (alias ${alias})`)];
}

function* listDocuments(seed: number, ids: readonly string[]): Generator<{ id: string; source: string }> {
  const random = createRandom(seed);
  for (const id of ids) {
    yield { id, source: makeDocument(random, { id, revision: 0 }).replace(/\r?\n/g, ' ') };
  }
}
