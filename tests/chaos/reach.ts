import type { ToldMigration } from '../support/told-migration';
import { cancelMigration, type Writers } from '@aosc/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMigrationRecord, readShardRecords, RecordUnreadable } from '../support/records';
import { isPassing } from './arena';
import { isOver, type Victim } from './fault';
import { laterOf, phaseAt } from './phase-at';
import type { Plan } from './plan';
import type { Probe } from './probe';

const patienceMs = 300_000;
const stages = ['ACTIVE', 'PREPARING_TARGET', 'CUTTING_OVER', 'CATCHING_UP', 'COMPLETING', 'COMPLETED'];

/** The record as it is, also while the cluster or the records are away for a while. */
export async function readRecord({ arena, id }: Victim): Promise<ToldMigration> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await readMigrationRecord(arena.environment.http, id);
    } catch (error) {
      const closed = String(error).includes('index_closed_exception');
      const unreadable = closed || error instanceof RecordUnreadable;
      if (!(unreadable || isPassing(error)) || performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/**
 * Brings the migration to where the fault is to come, without a pause between two looks: some phases last for
 * milliseconds. @returns the record as it was seen last; a phase that went by too fast has been followed by another
 */
export async function reach(victim: Victim, plan: Plan): Promise<ToldMigration> {
  const seen = await approach(victim, plan);
  if (plan.delayMs === 0) return seen;
  await sleep(plan.delayMs);
  return laterOf(seen, await readRecord(victim));
}

async function approach(victim: Victim, plan: Plan): Promise<ToldMigration> {
  switch (plan.phase) {
    case 'ACTIVE':
      return plan.byFiles && ofTarget.test(plan.fault.name) ? untilMade(victim) : readRecord(victim);
    case 'BACKFILLING':
    case 'CONVERGING':
      return untilShards(victim, plan, plan.phase);
    case 'PREPARING_TARGET':
    case 'CUTTING_OVER':
    case 'CATCHING_UP':
    case 'COMPLETING':
      return untilPhase(victim, plan.phase);
    case 'CANCELLING':
    case 'FAILING':
      await (victim.random.next() < 0.5
        ? untilShards(victim, plan, 'BACKFILLING')
        : untilPhase(victim, 'CUTTING_OVER'));
      await (plan.phase === 'CANCELLING' ? cancel(victim) : spoil(victim));
      return untilPhase(victim, plan.phase);
  }
}

/** Asks for the end as a user does; a swap that was faster is none of our business here. */
async function cancel({ arena, source }: Victim): Promise<void> {
  await cancelMigration(arena.environment.apiUrl, source).catch(() => undefined);
}

/** Changes what the copy needs: the migration has to fail. */
async function spoil({ arena, target }: Victim): Promise<void> {
  await arena.ask('PUT', `/${target}/_settings`, { 'index.gc_deletes': '30s' });
}

/** A fault of the target needs that there is one. */
const ofTarget = /^target_|^flood_stage$|^mapping_changed$/;

async function untilMade(victim: Victim): Promise<ToldMigration> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const record = await readRecord(victim);
    if (record.targetUuid !== '' || record.phase !== 'ACTIVE') return record;
    if (performance.now() > deadline) throw new Error(`${victim.id} does not make its target`);
  }
}

async function untilPhase(victim: Victim, phase: ToldMigration['phase']): Promise<ToldMigration> {
  const deadline = performance.now() + patienceMs;
  const wanted = stages.indexOf(phase);
  for (;;) {
    const record = await readRecord(victim);
    const passed = wanted >= 0 && stages.indexOf(record.phase) >= wanted;
    if (record.phase === phase || passed || isOver(record.phase)) return record;
    if (performance.now() > deadline) throw new Error(`${victim.id} does not get to ${phase}`);
  }
}

async function untilShards(
  victim: Victim,
  { sourceShards }: Plan,
  phase: 'BACKFILLING' | 'CONVERGING',
): Promise<ToldMigration> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const shards = await readShardRecords(victim.arena.environment.http, victim.id, sourceShards);
    const there = shards.some(
      (shard) =>
        shard.phase === phase && (phase === 'CONVERGING' || (shard.backfill?.documentsIndexed ?? 0) > 0),
    );
    const record = await readRecord(victim);
    if (there || record.phase !== 'ACTIVE') return record;
    if (performance.now() > deadline) throw new Error(`no shard of ${victim.id} gets to ${phase}`);
  }
}

/** Shards whose threshold is 0 converge when the writers pause for a moment. */
export async function letConverge(victim: Victim, writers: Writers, probe: Probe): Promise<void> {
  await writers.pause();
  probe.pause();
  const deadline = performance.now() + patienceMs;
  while ((await readRecord(victim)).phase === 'ACTIVE' && performance.now() < deadline) await sleep(100);
  writers.resume();
  probe.resume();
}

/**
 * Where the migration was at that time, by its history; while it is ACTIVE, where its shards were: the phase that was
 * planned if one of them was there.
 * @param struck the record right before the fault, for when there is none any more
 * @param at epoch ms
 */
export async function phaseWhen(
  victim: Victim,
  { phase: planned, fault, sourceShards }: Plan,
  struck: ToldMigration,
  at: number,
): Promise<string> {
  if (fault.destroys === 'records') return struck.phase === 'ACTIVE' ? planned : struck.phase;
  const record = await readRecord(victim);
  const phase = phaseAt(record.transitionHistory, at) ?? struck.phase;
  if (phase !== 'ACTIVE') return phase;
  const shards = await readShardRecords(victim.arena.environment.http, victim.id, sourceShards);
  const phases = shards.map(({ transitionHistory }) => phaseAt(transitionHistory, at));
  return (
    [planned, 'BACKFILLING', 'CONVERGING'].find((each) => phases.some((now) => now === each)) ?? 'ACTIVE'
  );
}
