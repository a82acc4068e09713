import { describeMismatches, type StatusDocument } from '@aosc/testkit';
import type { MigrationResult } from './scenario';

const migrationPath = [
  'ACTIVE',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
] as const;

const shardPath = [
  'PENDING',
  'ACQUIRING_LEASE',
  'BACKFILLING',
  'CONVERGING',
  'CONVERGED',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
] as const;

/**
 * `strict`: no answer that a writer got contradicts those before. `repeated`: a primary died, and OpenSearch's own
 * coordinating node repeats operations that may have been done already: then an insert is answered with "updated".
 */
export type Answers = 'strict' | 'repeated';

/** COMPLETED, the target is the source of the swap document by document, and nothing is left behind. */
export function expectClean(result: MigrationResult, answers: Answers = 'strict'): void {
  const { status, comparison } = result;
  expect({ phase: status.phase, error: status.error_message }).toEqual({ phase: 'COMPLETED' });
  expect(comparison).toBeDefined();
  if (comparison === undefined) return;
  expect(describeMismatches(comparison.mismatches)).toEqual([]);
  expect(comparison.mismatches.total).toBe(0);
  // Nothing was left out of the judgement, and there was something to judge.
  expect(comparison.judgedBySource).toBeGreaterThan(0);
  expect(comparison.judgedByModel).toBeGreaterThan(0);
  expectKept(result, answers);
}

/** COMPLETED and exact, and the backfill has counted each document of its snapshots once. */
export function expectCopiedOnce(result: MigrationResult): void {
  expectClean(result);
  const { watch } = result.migration;
  expect(watch.setbacks).toEqual([]);
  for (const [shard, { backfill }] of Object.entries(result.status.shards)) {
    expect(backfill?.documents_indexed).toBe(watch.firstSnapshots.get(Number(shard))?.documentCount);
  }
}

/** What holds however a migration ends: no acknowledged write is lost, no writer failed, nothing is left behind. */
export function expectKept(
  { verification, writers, leftovers, migration }: MigrationResult,
  answers: Answers = 'strict',
): void {
  expect(describeMismatches(verification.mismatches)).toEqual([]);
  expect(verification.mismatches.total).toBe(0);
  expect(verification.documents).toBeGreaterThan(0);
  const problems = writers.problems.filter((problem) => answers === 'strict' || !isRepetition(problem));
  expect({ errors: writers.errors, problems }).toEqual({ errors: 0, problems: [] });
  expect(leftovers).toEqual([]);
  expect(migration.watch.pitIds.size).toBeGreaterThan(0);
}

/** Every phase in its order, each beginning when the one before ended. */
export function expectWholePath(status: StatusDocument): void {
  expectPath(status.transition_history, migrationPath);
  for (const shard of Object.values(status.shards)) expectPath(shard.transition_history, shardPath);
}

/**
 * A cutover that meets a gap too large for the write block goes back from CUTTING_OVER to PREPARING_TARGET, and one whose write
 * hold takes too long is undone: on a busy machine several times. Two entries of one phase become one.
 */
function withoutReturns(history: StatusDocument['transition_history'] = []): typeof history {
  const way: typeof history = [];
  for (const entry of history) {
    const before = way.find(({ phase }) => phase === entry.phase);
    if (before === undefined) {
      way.push(entry);
      continue;
    }
    const { start_time_millis: start } = before;
    way.splice(way.indexOf(before), way.length, { ...entry, start_time_millis: start });
  }
  return way;
}

function expectPath(told: StatusDocument['transition_history'], path: readonly string[]): void {
  const history = withoutReturns(told);
  expect(history.map(({ phase }) => phase)).toEqual(path);
  let previousEnd: number | undefined;
  for (const { start_time_millis: start, end_time_millis: end } of history) {
    if (previousEnd !== undefined) expect(start).toBe(previousEnd);
    expect(end).toBeGreaterThanOrEqual(start);
    previousEnd = end;
  }
}

/** What a writer was answered can't be, after what was acknowledged before: a lost or a resurrected document. */
export function isContradiction(problem: string): boolean {
  return problem.startsWith('contradiction: ');
}

/** An answer that an operation gets when it is carried out a second time. */
export function isRepetition(problem: string): boolean {
  return /^contradiction: .*(updated, version \d+; expected (created|version \d+)|not_found, version \d+; expected deleted|noop, version \d+; expected updated)$/.test(
    problem,
  );
}
