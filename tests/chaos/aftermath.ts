import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from '@aosc/contract';
import type { ToldMigration } from '../support/told-migration';
import { migrationKey, systemIndex } from '@aosc/store';
import {
  compareIndices,
  createTargetIndex,
  deleteIndices,
  findLeftovers,
  verifyAgainstModel,
  type Writers,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { followThePage } from '../support/break-glass-page';
import { isContradiction, isRepetition } from '../support/expectations';
import { flushRedis } from '../support/redis';
import { borrowedSettings } from '../support/scenario';
import { findVerification } from '../support/verify';
import { guardMs } from './arena';
import type { Victim } from './fault';
import { hasSetting } from './faults/settings';
import { describeWrong, tellsOfStrayWrites } from './evaluate';
import type { Plan } from './plan';
import type { Probe } from './probe';
import { traceDocuments } from './traces';

const parseHolders = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

const recoveryMs = 60_000;
/** Documents that rounds are at work on are looked at for two minutes. */
const verifiedMs = 180_000;
/** Those that a hold of writers changes, as they were. @param remade the source is gone, and was made again for the look */
const sourceSettings = (remade: boolean) => ({
  'index.routing.allocation.enable': null,
  'index.write.wait_for_active_shards': null,
  'index.number_of_replicas': remade ? '0' : '1',
});

/** What docs/how-to/break-glass.md says for that day: the service is stopped, then its commands are run. */
export async function undoByHand(victim: Victim, writers: Writers, probe: Probe): Promise<readonly string[]> {
  const { arena, source, target, alias } = victim;
  const { service, stack, urls, http } = arena.environment;
  await Promise.all([...service.workers, ...service.schedulers, service.api].map((each) => each.kill()));
  await flushRedis(stack.redisUrl);
  await followThePage(urls[0] ?? '', victim);
  // A worker's write may have made it again, without its mapping: the service would not start with it.
  await deleteIndices(http, [systemIndex]);
  const undone = Date.now();
  const deadline = performance.now() + recoveryMs;
  while (!probe.hasWrittenSince(undone) && performance.now() < deadline) await sleep(50);
  // The page has deleted the target: an incomplete copy.
  await createTargetIndex(http, { name: target, shards: 1 });
  const left = await findLeftovers({ urls, source, target });
  const problems = probe.hasWrittenSince(undone) ? [] : ['no write through the alias after all was undone'];
  await writers.stop();
  await probe.stop();
  return [
    ...problems,
    ...(await judgeHome(victim, source)),
    ...(await verify(victim, alias, writers)),
    ...left.map((line) => `left behind: ${line}`),
  ];
}

async function judgeHome(
  { arena, alias }: Victim,
  ...expected: readonly string[]
): Promise<readonly string[]> {
  const holders = Object.keys(parseHolders(await arena.ask('GET', `/_alias/${alias}`)));
  if (holders.sort().join() === [...expected].sort().join()) return [];
  return [`the alias is on ${holders.join()} instead of ${expected.join()}`];
}

async function verify(
  { arena, source, target }: Victim,
  index: string,
  { model }: Writers,
): Promise<readonly string[]> {
  const { mismatches } = await verifyAgainstModel({ urls: arena.environment.urls, index, model });
  if (mismatches.total === 0) return [];
  return [
    'acknowledged writes are missing:',
    ...describeWrong(mismatches),
    ...(await traceDocuments(arena, [source, target], model, mismatches)),
  ];
}

/** Writes flow to where the alias belongs, and no acknowledged one is missing. */
export async function judgeWrites(
  victim: Victim,
  plan: Plan,
  end: ToldMigration,
  writers: Writers,
  probe: Probe,
): Promise<readonly string[]> {
  const { fault } = plan;
  const problems: string[] = [];
  const now = Date.now();
  const deadline = performance.now() + recoveryMs;
  while (!probe.hasWrittenSince(now) && performance.now() < deadline) await sleep(50);
  if (!probe.hasWrittenSince(now)) problems.push(`no write through the alias after the end of the migration`);
  const home = end.phase === 'COMPLETED' ? victim.target : victim.source;
  problems.push(...(await judgeHome(victim, home, ...(fault.alsoHolds?.(victim) ?? []))));
  await writers.stop();
  await probe.stop();
  // What was acknowledged by the source in the moment of the swap is lost to the writers, as the service says.
  if (tellsOfStrayWrites(plan, end)) return problems;
  const disturbed = fault.disturbsWriters === true;
  const { errors, violations, problems: complaints } = writers.stats();
  const real = complaints.filter(
    (complaint) => !disturbed || (isContradiction(complaint) && !isRepetition(complaint)),
  );
  const told = complaints.filter(isContradiction).length;
  if (violations > told) problems.push(`writers: ${violations - told} more contradictions`);
  if (!disturbed && errors > 0) problems.push(`writers: ${errors} errors`);
  return [...problems, ...real.map((complaint) => `writers: ${complaint}`)];
}

/** Nothing is missing, nothing differs, nothing is left. */
export async function judgeRest(
  victim: Victim,
  plan: Plan,
  end: ToldMigration,
  writers: Writers,
  before: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { arena, id, source, target, alias } = victim;
  const { urls, http } = arena.environment;
  const { model } = writers;
  const { destroys } = plan.fault;
  const problems: string[] = [];
  const completed = end.phase === 'COMPLETED';
  if (destroys === undefined && !tellsOfStrayWrites(plan, end)) {
    problems.push(...(await verify(victim, completed ? target : source, writers)));
    if (completed) {
      const { mismatches } = await compareIndices({ urls, source, target, model });
      const wrong = describeWrong(mismatches);
      problems.push(...wrong);
      if (wrong.length > 0)
        problems.push(...(await traceDocuments(arena, [source, target], model, mismatches)));
    }
  }
  if (destroys === 'records') return problems;
  // A user may have lifted it after the last look of the service.
  const isLifted =
    plan.fault.letsWritesStray === true && !(await hasSetting(arena, source, 'index.blocks.write'));
  // What is gone is made again, for a look at the rest.
  if (destroys === 'source') await createTargetIndex(http, { name: source, shards: 1 });
  const remade = plan.fault.name === 'target_deleted';
  if (remade) await createTargetIndex(http, { name: target, shards: 1 });
  const left = async (): Promise<readonly string[]> =>
    findLeftovers({
      urls,
      source,
      target,
      key: migrationKey(id),
      ...(!remade && {
        targetSettings: Object.fromEntries(borrowedSettings.map((name) => [name, before[name] ?? null])),
        targetRemoved: plan.byFiles && !completed,
      }),
      sourceSettings: sourceSettings(destroys === 'source'),
      writeBlockExpected: completed && !isLifted,
    });
  // The guard's time is part of the promise: what comes late is gone by then.
  const deadline = performance.now() + recoveryMs;
  let found = await left();
  while (found.length > 0 && performance.now() < deadline) {
    await sleep(1000);
    found = await left();
  }
  if (found.length === 0 && plan.waitsForTheGuard) {
    await sleep(guardMs);
    found = await left();
  }
  return [...problems, ...found.map((line) => `left behind: ${line} (alias ${alias})`)];
}

/** A verification finds nothing and never fails; the last pass of one may come after the end. */
export async function judgeVerification(
  { arena, source }: Victim,
  { verifies }: Plan,
  { phase, rehearsal }: ToldMigration,
): Promise<readonly string[]> {
  if (verifies === 'count' || !(phase === 'COMPLETED' || rehearsal?.outcome !== undefined)) return [];
  const deadline = performance.now() + verifiedMs;
  let found = await findVerification(arena.environment, source);
  while (found?.state === 'running' && performance.now() < deadline) {
    await sleep(1000);
    found = await findVerification(arena.environment, source);
  }
  const { state, reason, unsettled = 0, differences } = found ?? {};
  const isExact =
    state === 'done' &&
    reason === undefined &&
    // After the swap writers delete documents.
    (unsettled === 0 || phase === 'COMPLETED') &&
    Object.values(differences?.counts ?? {}).every((count) => count === 0);
  return isExact ? [] : [`the verification: ${JSON.stringify({ state, reason, unsettled, differences })}`];
}
