import { setTimeout as sleep } from 'node:timers/promises';
import { createParser, type MigrationRecord } from '@aosc/contract';
import { migrationKey } from '@aosc/store';
import {
  compareIndices,
  createTargetIndex,
  findLeftovers,
  verifyAgainstModel,
  type Writers,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { followThePage } from '../support/break-glass-page';
import { isRepetition } from '../support/expectations';
import { flushRedis } from '../support/redis';
import { borrowedSettings } from '../support/scenario';
import type { Victim } from './fault';
import { describeWrong, strayWrites } from './judge';
import type { Plan } from './plan';
import type { Probe } from './probe';

const parseHolders = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

const recoveryMs = 60_000;

/** What docs/break-glass.md says for that day: the service is stopped, then its commands are run. */
export async function undoByHand(victim: Victim, probe: Probe): Promise<readonly string[]> {
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
export async function judgeWrites(
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
export async function judgeRest(
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
