import { documentIds } from '@aosc/store';
import { callRaw, describeMismatches, type Mismatches, UnexpectedAnswer } from '@aosc/testkit';
import { until } from '../support/environment';
import { blockAlone, longHold } from '../support/held-cutover';
import { type Migration, type MigrationResult, removeIndices, runMigration } from '../support/scenario';
import type { Lab } from './lab';
import type { CrashScenario } from './scenarios';

const endsWithinMs = 90_000;
/** the guard's time, or a lost snapshot's, and as much again */
const leftoversWithinMs = 40_000;
let count = 0;

/**
 * One migration in the lab, with writers and the oracle.
 * @returns everything that is not as it must be; empty when all is well
 */
export async function runInLab(
  lab: Lab,
  { migration: shape, prepare, ends, holdsWriters }: CrashScenario,
  during: (migration: Migration) => Promise<void>,
): Promise<readonly string[]> {
  count += 1;
  const name = `crash-${process.pid}-${count}`;
  const scenario = { ...shape, name, endsWithinMs, leftoversWithinMs };
  await lab.environment.putSettings(holdsWriters ? longHold : blockAlone);
  await prepare?.(lab.environment);
  const result = await runMigration(lab.environment, scenario, during);
  await untilClaimsAreReleased(lab, result.migration);
  await removeIndices(lab.environment, result.migration);
  return judge(result, ends);
}

/** After its end, the first thing that the guard does. */
export function untilClaimsAreReleased({ environment }: Lab, { source, target }: Migration): Promise<void> {
  const ids = [documentIds.claim('source', source), documentIds.claim('target', target)];
  return until('both indices to be given back', async () => {
    const held = await Promise.all(ids.map((id) => exists(environment.http, `/.aosc-migrations/_doc/${id}`)));
    return !held.includes(true);
  });
}

async function exists(http: Lab['environment']['http'], path: string): Promise<boolean> {
  try {
    await callRaw(http, { method: 'GET', path });
    return true;
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.answer.status === 404) return false;
    throw error;
  }
}

function judge(
  { status, comparison, verification, writers, leftovers }: MigrationResult,
  ends: CrashScenario['ends'],
): readonly string[] {
  const problems: string[] = [];
  if (!ends.some((end) => end === status.phase)) {
    problems.push(
      `ended ${status.phase} and not ${ends.join(' or ')}: ${status.error_message ?? 'without a reason'}`,
    );
  }
  if (status.phase === 'COMPLETED' && comparison === undefined) problems.push('was not compared');
  const tell = (what: string, mismatches: Mismatches): void => {
    if (mismatches.total > 0) problems.push(`${what}: ${describeMismatches(mismatches).join('; ')}`);
  };
  if (comparison !== undefined) tell('source and target', comparison.mismatches);
  tell('what the alias shows', verification.mismatches);
  if (verification.documents === 0) problems.push('nothing was there to be verified');
  if (writers.errors > 0) problems.push(`${writers.errors} errors of writers`);
  return [...problems, ...writers.problems, ...leftovers];
}
