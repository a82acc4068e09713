import { createHold, type Hold, terminalPhases } from '@aosc/testkit';
import { until } from '../support/environment';
import type { Migration } from '../support/scenario';
import type { CallEvent, Interference, Lab } from './lab';
import { type Point, victimOf } from './place';
import { runInLab, untilClaimsAreReleased } from './run-migration';
import { type CrashScenario, findScenario } from './scenarios';

export interface PointResult extends Point {
  /** `missed`: the migration did not come to the place this time */
  readonly outcome: 'passed' | 'failed' | 'missed';
  readonly problems: readonly string[];
  readonly elapsedMs: number;
}

/** So many changing calls of the replacement come before the call that was held. */
const callsBeforeLate = 5;

/** Kills the process at the point, has another take its place, and judges what came of the migration. */
export async function runPoint(lab: Lab, point: Point): Promise<PointResult> {
  const began = performance.now();
  const scenario = findScenario(point.scenario);
  const trap = setTrap(lab, scenario, point);
  const met = { place: false };
  let problems: readonly string[];
  try {
    problems = await runInLab(lab, scenario, async (migration) => {
      trap.migration.release(migration);
      met.place = await reachedBeforeTheEnd(lab, trap, migration);
      if (met.place) await crash(lab, trap, point, { migration, scenario });
    });
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)];
  } finally {
    trap.end();
  }
  const outcome = problems.length > 0 ? 'failed' : met.place ? 'passed' : 'missed';
  return { ...point, outcome, problems, elapsedMs: Math.round(performance.now() - began) };
}

interface Trap {
  /** told to whoever turns the migration */
  readonly migration: Hold<Migration>;
  readonly before: Hold<'forward' | 'drop'>;
  readonly after: Hold<'deliver' | 'cut'>;
  /** reached when the call that was held has been carried out */
  readonly landed: Hold<'deliver'>;
  /** the process that is in it */
  caught(): number;
  isSprung(): boolean;
  /** changing calls of processes that were started later */
  callsSince(): number;
  end(): void;
}

function setTrap(lab: Lab, scenario: CrashScenario, { place, moment }: Point): Trap {
  const migration = createHold<Migration>();
  const before = createHold<'forward' | 'drop'>();
  const after = createHold<'deliver' | 'cut'>();
  const landed = createHold<'deliver'>();
  landed.release('deliver');
  const turn = createTurn(lab, scenario, migration);
  let caught: number | undefined;
  let calls = 0;
  const end = lab.listen((event) => {
    if (caught !== undefined && event.number > caught) calls += 1;
    const turned = turn(event);
    if (turned !== 'done') return turned;
    if (caught !== undefined || event.place !== place) return undefined;
    caught = event.number;
    return moment === 'after' ? { after: after.wait } : { before: before.wait, after: landed.wait };
  });
  return {
    migration,
    before,
    after,
    landed,
    caught: () => {
      if (caught === undefined) throw new Error('nothing is in the trap');
      return caught;
    },
    isSprung: () => before.isReached() || after.isReached(),
    callsSince: () => calls,
    end,
  };
}

/** @returns what becomes of a call until the scenario's turn has been taken, then `done` */
export function createTurn(
  { environment }: Lab,
  { turn }: CrashScenario,
  migration: Hold<Migration>,
): (event: CallEvent) => Interference | undefined | 'done' {
  let state: 'ahead' | 'begun' | 'done' = turn === undefined ? 'done' : 'ahead';
  return (event) => {
    if (state === 'done' || turn === undefined) return 'done';
    if (state === 'begun' || !turn.at(event)) return undefined;
    state = 'begun';
    return {
      after: async () => {
        await turn.act(environment, await migration.wait());
        state = 'done';
        return 'deliver';
      },
    };
  };
}

/** The last places are behind the end, when the indices are given back. */
async function reachedBeforeTheEnd(lab: Lab, trap: Trap, migration: Migration): Promise<boolean> {
  const over = untilEnded(migration).then(() => untilClaimsAreReleased(lab, migration));
  await Promise.race([trap.before.reached, trap.after.reached, over]);
  return trap.isSprung();
}

async function untilEnded(migration: Migration): Promise<void> {
  await until('the end of the migration', async () =>
    terminalPhases.includes((await migration.record()).phase),
  );
}

async function crash(
  lab: Lab,
  trap: Trap,
  { place, moment }: Point,
  { migration, scenario }: { readonly migration: Migration; readonly scenario: CrashScenario },
): Promise<void> {
  const victim = lab.process(trap.caught());
  await victim.process.kill();
  if (moment === 'before') trap.before.release('drop');
  if (moment === 'after') trap.after.release('cut');
  await scenario.whileDead?.(migration);
  await lab.start(victimOf(place));
  if (moment === 'late') {
    await until('the replacement to go on', async () => {
      if (trap.callsSince() >= callsBeforeLate) return true;
      return terminalPhases.includes((await migration.record()).phase);
    });
  }
  if (moment === 'last') await untilEnded(migration);
  if (moment === 'late' || moment === 'last') {
    trap.before.release('forward');
    await trap.landed.reached;
  }
  await victim.close();
}
