import { terminalPhases } from '@aosc/testkit';
import { until } from '../support/environment';
import type { Migration } from '../support/scenario';
import type { Lab } from './lab';
import { type Point, victimOf } from './place';
import { runInLab, untilClaimsAreReleased } from './run-migration';
import { type CrashScenario, findScenario } from './scenarios';
import { type Caught, setTraps, type Traps } from './traps';

/** `missed`: the migration did not come to the place this time */
type Outcome = 'passed' | 'failed' | 'missed';

export interface PointResult extends Point {
  readonly outcome: Outcome;
  readonly problems: readonly string[];
  readonly elapsedMs: number;
}

/** What became of one migration in which processes died. */
export interface Deaths {
  /** where, in their order */
  readonly met: readonly Point[];
  readonly outcome: Outcome;
  readonly problems: readonly string[];
  readonly elapsedMs: number;
}

/** So many changing calls of the replacement come before the call that was held. */
const callsBeforeLate = 5;

/** Kills the process at the point, has another take its place, and judges what came of the migration. */
export async function runPoint(lab: Lab, point: Point): Promise<PointResult> {
  const { outcome, problems, elapsedMs } = await runDeaths(lab, [point], 1);
  return { ...point, outcome, problems, elapsedMs };
}

/**
 * The same at several points in one migration: at whichever it comes to next, one death after the other.
 * @param points of one scenario @param most deaths
 */
export async function runDeaths(lab: Lab, points: readonly Point[], max: number): Promise<Deaths> {
  const began = performance.now();
  const scenario = findScenario(points[0]?.scenario ?? '');
  const traps = setTraps(lab, scenario, points);
  const met: Point[] = [];
  let problems: readonly string[];
  try {
    problems = await runInLab(lab, scenario, async (migration) => {
      traps.migration.release(migration);
      while (met.length < max) {
        const caught = await caughtBeforeTheEnd(lab, traps, migration);
        if (caught === undefined) return;
        met.push(caught.point);
        await crash(lab, caught, { migration, scenario });
        if (met.length < max) traps.setAgain();
      }
    });
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)];
  } finally {
    traps.end();
  }
  const outcome = problems.length > 0 ? 'failed' : met.length > 0 ? 'passed' : 'missed';
  return { met, outcome, problems, elapsedMs: Math.round(performance.now() - began) };
}

/** The last places are behind the end: the indices are given back, and what landed late is taken away. */
function caughtBeforeTheEnd(lab: Lab, traps: Traps, migration: Migration): Promise<Caught | undefined> {
  const over = untilEnded(migration)
    .then(() => untilClaimsAreReleased(lab, migration))
    .then(() => until('the first look behind', () => traps.hasLookedBehind()));
  return Promise.race([traps.next(), over.then(() => undefined)]);
}

async function untilEnded(migration: Migration): Promise<void> {
  await until('the end of the migration', async () =>
    terminalPhases.includes((await migration.record()).phase),
  );
}

async function crash(
  lab: Lab,
  caught: Caught,
  { migration, scenario }: { readonly migration: Migration; readonly scenario: CrashScenario },
): Promise<void> {
  const { place, moment } = caught.point;
  const victim = lab.process(caught.number);
  await victim.process.kill();
  if (moment === 'before') caught.before.release('drop');
  if (moment === 'after') caught.after.release('cut');
  await scenario.whileDead?.(migration);
  await lab.start(victimOf(place));
  if (moment === 'late') {
    await until('the replacement to go on', async () => {
      if (caught.callsSince >= callsBeforeLate) return true;
      return terminalPhases.includes((await migration.record()).phase);
    });
  }
  if (moment === 'last') await untilEnded(migration);
  if (moment === 'late' || moment === 'last') {
    caught.before.release('forward');
    await caught.landed.reached;
  }
  await victim.close();
}
