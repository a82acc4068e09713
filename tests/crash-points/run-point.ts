import { createHold, type Hold, terminalPhases } from '@aosc/testkit';
import { until } from '../support/environment';
import type { Migration } from '../support/scenario';
import type { CallEvent, Interference, Lab } from './lab';
import { type Point, victimOf } from './place';
import { runInLab, untilClaimsAreReleased } from './run-migration';
import { type CrashScenario, findScenario } from './scenarios';

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
export async function runDeaths(lab: Lab, points: readonly Point[], most: number): Promise<Deaths> {
  const began = performance.now();
  const scenario = findScenario(points[0]?.scenario ?? '');
  const traps = setTraps(lab, scenario, points);
  const met: Point[] = [];
  let problems: readonly string[];
  try {
    problems = await runInLab(lab, scenario, async (migration) => {
      traps.migration.release(migration);
      while (met.length < most) {
        const caught = await caughtBeforeTheEnd(lab, traps, migration);
        if (caught === undefined) return;
        met.push(caught.point);
        await crash(lab, caught, { migration, scenario });
        if (met.length < most) traps.setAgain();
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

/** A process at a point, with its call held. */
interface Caught {
  readonly point: Point;
  /** number of the process */
  readonly number: number;
  readonly before: Hold<'forward' | 'drop'>;
  readonly after: Hold<'deliver' | 'cut'>;
  /** reached when the call that was held has been carried out */
  readonly landed: Hold<'deliver'>;
  /** changing calls of processes that were started later */
  callsSince: number;
}

interface Traps {
  /** told to whoever turns the migration */
  readonly migration: Hold<Migration>;
  next(): Promise<Caught>;
  /** for the points that are left, with the death before over */
  setAgain(): void;
  end(): void;
}

function setTraps(lab: Lab, scenario: CrashScenario, points: readonly Point[]): Traps {
  const migration = createHold<Migration>();
  const turn = createTurn(lab, scenario, migration);
  const left = [...points];
  const dead = new Set<number>();
  let caught: Caught | undefined;
  let announce: (next: Caught) => void;
  let next: Promise<Caught>;
  const setAgain = (): void => {
    caught = undefined;
    next = new Promise((resolve) => (announce = resolve));
  };
  setAgain();
  const end = lab.listen((event) => {
    if (caught !== undefined && event.number > caught.number) caught.callsSince += 1;
    const turned = turn(event);
    if (turned !== 'done') return turned;
    const at = left.findIndex(({ place }) => place === event.place);
    const [point] = caught === undefined && !dead.has(event.number) ? left.splice(at, at < 0 ? 0 : 1) : [];
    if (point === undefined) return undefined;
    const sprung = catchAt(point, event.number);
    caught = sprung;
    dead.add(event.number);
    void Promise.race([sprung.before.reached, sprung.after.reached]).then(() => announce(sprung));
    const { before, after, landed } = sprung;
    return point.moment === 'after' ? { after: after.wait } : { before: before.wait, after: landed.wait };
  });
  return { migration, next: () => next, setAgain, end };
}

function catchAt(point: Point, number: number): Caught {
  const landed = createHold<'deliver'>();
  landed.release('deliver');
  const before = createHold<'forward' | 'drop'>();
  return { point, number, before, after: createHold<'deliver' | 'cut'>(), landed, callsSince: 0 };
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
function caughtBeforeTheEnd(lab: Lab, traps: Traps, migration: Migration): Promise<Caught | undefined> {
  const over = untilEnded(migration).then(() => untilClaimsAreReleased(lab, migration));
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
