import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationRecord } from '@aosc/contract';
import {
  createRandom,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  makeDocument,
  readIndexSettings,
  startMigration,
  startWriters,
} from '@aosc/testkit';
import { judgeRest, judgeWrites, undoByHand } from './aftermath';
import { type Arena, writeBlockMaxMs } from './arena';
import { isOver, type Victim } from './fault';
import { judgeEnd } from './judge';
import { describePlan, type Plan } from './plan';
import { startProbe } from './probe';
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

/** A migration must have ended so long after the fault at the latest. */
export const settleBoundMs = 120_000;
/** Beside what the block's own bound and the fault explain: a busy machine. */
const blockSlackMs = 10_000;

/** One migration with one fault, and the verdict. @throws when the servers don't come back for the next run */
export async function runPlan(arena: Arena, drawn: Plan): Promise<RunResult> {
  let plan = drawn;
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
    if (comesTooLate(plan, struck)) plan = { ...plan, fault: { ...harmless, name: plan.fault.name } };
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
      planned: drawn.phase,
      phase: comesTooLate(drawn, struck) ? 'TOO LATE' : phaseOf(struck, drawn),
      plan: describePlan(drawn),
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

/** Instead of a fault that would destroy what it was not meant for: the phase went by before it was seen. */
const harmless = { what: '', demand: 'exact', strike: () => Promise.resolve() } as const;

function comesTooLate(plan: Plan, struck: MigrationRecord): boolean {
  const { phases } = plan.fault;
  return phases !== undefined && !phases.some((phase) => phase === phaseOf(struck, plan));
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

function* listDocuments(seed: number, ids: readonly string[]): Generator<{ id: string; source: string }> {
  const random = createRandom(seed);
  for (const id of ids) {
    yield { id, source: makeDocument(random, { id, revision: 0 }).replace(/\r?\n/g, ' ') };
  }
}
