import { setTimeout as sleep } from 'node:timers/promises';
import type { ToldMigration } from '../support/told-migration';
import {
  createRandom,
  loadDocuments,
  makeDocument,
  readCommit,
  readIndexSettings,
  readStatus,
  startMigration,
  type StartOptions,
  startWriters,
  UnexpectedAnswer,
} from '@aosc/testkit';
import { shake } from '../soak/shake';
import { countBySearches } from '../support/ground';
import { judgeRest, judgeVerification, judgeWrites, undoByHand } from './aftermath';
import { type Arena, isPassing, writeBlockMaxMs } from './arena';
import { judgeCopies } from './copies';
import { isOver, NotStruck, type Victim } from './fault';
import { createIndices } from './indices';
import { judgeBlocks, judgeEnd, overlapMs, type Span } from './evaluate';
import type { HeldKind, LateAnswers } from './late-answers';
import { spellId } from './odd-keys';
import { describePlan, type Plan } from './plan';
import { startProbe } from './probe';
import { refuse, refusedIds, refusedSource, startDeciding } from './refused';
import { letConverge, phaseWhen, reach, readRecord } from './reach';

/** One line of the results. */
export interface RunResult {
  readonly seed: number;
  readonly fault: string;
  /** where the fault was to come */
  readonly planned: string;
  /** where the migration was when it came, by its own history; TOO LATE and NOT STRUCK: it did not come */
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
  /** documents that the writers moved to another routing */
  readonly moves: number;
  /** of a node that came back */
  readonly late?: LateAnswers & { readonly kind: HeldKind };
  /** of the code that ran */
  readonly commit: string;
  readonly at: string;
}

/** A migration must have ended so long after the fault at the latest. */
export const settleBoundMs = 120_000;
/** From the bound to the first write through: the next look of the scheduler, two calls, and a busy machine. */
const blockSlackMs = 5_000;
const movingMix = { move: 15 };
const maxStarts = 15;
const untouchedIds = Array.from({ length: 40 }, (_, n) => `untouched-${n}`);
const startRestMs = 500;

/**
 * The arena's bound for requests holds for a whole start as well, which a busy machine may exceed. The function then
 * asks again, as any client would, and accepts a start that has been carried out all the same.
 */
async function startPatiently(apiUrl: string, start: StartOptions): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startMigration(apiUrl, start);
    } catch (error) {
      if (tries > 1 && error instanceof UnexpectedAnswer && error.answer.status === 409)
        return (await readStatus(apiUrl, start.source)).migration_id;
      if (!isPassing(error) || tries === maxStarts) throw error;
      // Answers come at once while the primary of the records moves from one node to another.
      await sleep(startRestMs);
    }
  }
}

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
  await shake(arena, createRandom(plan.seed + 2), plan.shakes);
  await createIndices(arena, plan, names);
  await loadDocuments(http, names.alias, listDocuments(plan.seed, [...ids, ...untouchedIds]));
  if (plan.setsAside) {
    await refuse({ arena, target: names.target });
    const refused = refusedIds.map((id) => ({ id, source: refusedSource }));
    await loadDocuments(http, names.alias, refused);
  }
  await arena.environment.putSettings({ 'aosc.cutover.hold_writers': String(plan.holdsWriters) });
  const replicas = { 'index.number_of_replicas': String(plan.targetReplicas) };
  const before = plan.byFiles
    ? { ...(await readIndexSettings(http, names.source)), ...replicas }
    : await readIndexSettings(http, names.target);
  const writers = startWriters({
    urls,
    isAway: arena.isAway,
    mayRepeat: arena.mayRepeat,
    alias: names.alias,
    rate: plan.rate,
    adopt: ids,
    seed: plan.seed,
    ...(plan.moves && { mix: movingMix }),
    spellId: (plain, routing) => spellId(drawn, plain, routing),
  });
  const probe = startProbe(urls, names.alias, arena.isAway);
  let endDeciding = () => Promise.resolve();
  try {
    const converging = plan.phase === 'CONVERGING';
    const id = await startPatiently(apiUrl, {
      ...names,
      ...(plan.byFiles && { createTarget: { number_of_shards: plan.targetShards, settings: replicas } }),
      options: {
        accept_data_loss_if_custom_routing_is_used: true,
        ...(plan.byFiles && { copy: 'files' }),
        ...(plan.verifies !== 'count' && { verify: 'content' }),
        ...(plan.verifies === 'rehearse' && { rehearse: true }),
        ...(plan.setsAside && { on_document_error: 'set_aside' }),
        ...(converging && { convergence_threshold_per_shard: 0 }),
      },
    });
    let strike = { from: performance.now(), millis: Date.now() };
    const mark = (): void => {
      strike = { from: performance.now(), millis: Date.now() };
    };
    let late: RunResult['late'];
    const victim: Victim = {
      ...names,
      id,
      arena,
      random: createRandom(plan.seed + 1),
      mark,
      acknowledged: () => writers.stats().operations,
      tellLate: (answers) => (late = answers),
    };
    if (plan.setsAside) endDeciding = startDeciding(victim);
    const struck = await reach(victim, plan);
    let missed = comesTooLate(plan, struck) ? 'TOO LATE' : undefined;
    mark();
    if (missed === undefined) missed = await strikeWith(plan, victim);
    if (missed !== undefined) plan = { ...plan, fault: { ...harmless, name: plan.fault.name } };
    const healedAt = performance.now();
    const span: Span = { from: strike.from, to: healedAt };
    const healedMillis = Date.now();
    const lasting = plan.fault.destroys === undefined;
    if (converging && lasting) await letConverge(victim, writers, probe);
    const forgotten = plan.fault.destroys === 'records';
    const end = forgotten ? undefined : await waitForEnd(victim, healedAt + settleBoundMs);
    // Right after the end: a later refresh would give the searches what they lack.
    const problems = end?.phase === 'COMPLETED' ? [...(await judgeSearches(victim, plan))] : [];
    const settledMs = Math.round(performance.now() - healedAt);
    if (forgotten) problems.push(...(await undoByHand(victim, writers, probe)));
    else if (end === undefined) {
      problems.push(`not ended ${settleBoundMs} ms after the fault: ${(await readRecord(victim)).phase}`);
    } else {
      // A request for the block that hangs with the struck node blocks no write yet, but its time runs.
      const requestedAt = end.writeBlock?.requestedAtMillis ?? Infinity;
      const underBlock =
        probe.blocks().some((block) => overlapMs(block, span) > 0) ||
        (requestedAt >= strike.millis && requestedAt <= healedMillis);
      const wrong = judgeEnd(plan, struck, end, underBlock);
      if (wrong !== undefined) problems.push(wrong);
      if (lasting) problems.push(...(await judgeWrites(victim, plan, end, writers, probe)));
    }
    await endDeciding();
    const phase = missed ?? (await phaseWhen(victim, drawn, struck, strike.millis));
    const blocks = probe.blocks();
    problems.push(...judgeBlocks(plan, blocks, span, writeBlockMaxMs + blockSlackMs));
    await arena.restoreServers();
    if (end !== undefined) {
      problems.push(...(await judgeRest(victim, plan, end, writers, before)));
      problems.push(...(await judgeCopies(victim, plan, end)));
      problems.push(...(await judgeVerification(victim, plan, end)));
    }
    return {
      seed: plan.seed,
      fault: plan.fault.name,
      planned: drawn.phase,
      phase,
      plan: describePlan(drawn),
      end: end?.phase ?? (forgotten ? 'FORGOTTEN' : 'NOT ENDED'),
      reason: end?.errorMessage,
      problems,
      elapsedMs: Math.round(performance.now() - begun),
      faultMs: Math.round(span.to - span.from),
      settledMs,
      longestBlockMs: Math.round(Math.max(0, ...blocks.map(({ from, to }) => to - from))),
      operations: writers.stats().operations,
      moves: writers.stats().moves,
      ...(late !== undefined && { late }),
      commit: readCommit(),
      at: new Date().toISOString(),
    };
  } finally {
    await Promise.allSettled([endDeciding(), writers.stop(), probe.stop()]);
  }
}

/** A path in the folder of the logs, without that folder. */
function withoutLogFolder(text: string): string {
  return text
    .split(' ')
    .map((word) => {
      const [, inFolder] = word.split('/aosc-stack-', 2);
      return inFolder === undefined ? word : inFolder.slice(inFolder.indexOf('/') + 1);
    })
    .join(' ');
}

/** The line of a run that came to no verdict. */
export function describeBroken(plan: Plan, error: unknown): RunResult {
  return {
    seed: plan.seed,
    fault: plan.fault.name,
    planned: plan.phase,
    phase: plan.phase,
    plan: describePlan(plan),
    end: 'BROKEN',
    reason: undefined,
    // the folder of the logs is this machine's, and gone with the run
    problems: [`the run itself broke: ${withoutLogFolder(String(error))}`],
    elapsedMs: 0,
    faultMs: 0,
    settledMs: 0,
    longestBlockMs: 0,
    operations: 0,
    moves: 0,
    commit: readCommit(),
    at: new Date().toISOString(),
  };
}

/** Instead of a fault that would destroy what it was not meant for: the phase went by before it was seen. */
const harmless = { what: '', demand: 'exact', strike: () => Promise.resolve() } as const;

/** @returns why nothing was struck */
async function strikeWith(
  { fault, byFiles, phase }: Plan,
  victim: Victim,
): Promise<'NOT STRUCK' | undefined> {
  try {
    await fault.strike(victim);
    return undefined;
  } catch (error) {
    if (error instanceof NotStruck) return 'NOT STRUCK';
    // The migration has not made its target yet, or has taken it away.
    const isMissing = error instanceof UnexpectedAnswer && error.answer.status === 404;
    if (byFiles && isMissing) return phase === 'ACTIVE' ? 'NOT STRUCK' : undefined;
    throw error;
  }
}

function comesTooLate({ fault, phase: planned }: Plan, { phase }: ToldMigration): boolean {
  const inShards = planned === 'BACKFILLING' || planned === 'CONVERGING';
  const now = phase === 'ACTIVE' && inShards ? planned : phase;
  return fault.phases !== undefined && !fault.phases.some((each) => each === now);
}

/** Documents that no writer touches are found by every search that goes through the alias. */
async function judgeSearches({ arena, alias }: Victim, { ground }: Plan): Promise<readonly string[]> {
  if (ground !== 'search_replicas') return [];
  const query = { ids: { values: untouchedIds } };
  const counts = await countBySearches((...what) => arena.ask(...what), alias, query);
  return counts.every((count) => count === untouchedIds.length)
    ? []
    : [`searches right after the swap found ${counts.join(', ')} of ${untouchedIds.length}`];
}

async function waitForEnd(victim: Victim, deadline: number): Promise<ToldMigration | undefined> {
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
