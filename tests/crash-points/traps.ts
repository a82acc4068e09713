import { createHold, type Hold } from '@aosc/testkit';
import type { Migration } from '../support/scenario';
import type { CallEvent, Interference, Lab } from './lab';
import type { Point } from './place';
import type { CrashScenario } from './scenarios';

/** A process at a point, with its call held. */
export interface Caught {
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

export interface Traps {
  /** given to the code that turns the migration */
  readonly migration: Hold<Migration>;
  next(): Promise<Caught>;
  /** for the points that are left, with the death before over */
  setAgain(): void;
  /** whether the scheduler is through with its first look at what the migration that has ended left behind */
  hasLookedBehind(): boolean;
  end(): void;
}

/** Holds the next call at one of the points, one at a time. A process dies once. */
export function setTraps(
  lab: Pick<Lab, 'listen' | 'environment'>,
  scenario: CrashScenario,
  points: readonly Point[],
): Traps {
  const migration = createHold<Migration>();
  const turn = createTurn(lab, scenario, migration);
  // Only `after` may find that it has waited for nothing, when the call is refused: that is not to be at another's cost.
  const left = points.toSorted((a, b) => Number(a.moment === 'after') - Number(b.moment === 'after'));
  const dead = new Set<number>();
  let caught: Caught | undefined;
  let announce: (next: Caught) => void;
  let next: Promise<Caught>;
  const setAgain = (): void => {
    caught = undefined;
    next = new Promise((resolve) => (announce = resolve));
  };
  setAgain();
  const isThrough = createLook();
  let hasLooked = false;
  const ignore = lab.listen((event) => {
    hasLooked ||= isThrough(event);
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
    if (point.moment !== 'after') return { before: before.wait, after: landed.wait };
    return {
      after: (isDone) => {
        if (isDone) return after.wait();
        // It was refused, and that is another point: this one is for the next call here.
        caught = undefined;
        dead.delete(event.number);
        left.push(point);
        return Promise.resolve('deliver');
      },
    };
  });
  const end = (): void => {
    ignore();
    // A call at which no process is to die any more is a call like any other.
    caught?.before.release('forward');
    caught?.after.release('deliver');
  };
  return { migration, next: () => next, setAgain, hasLookedBehind: () => hasLooked, end };
}

/** The first look begins with the claims, and its job ends with it. */
function createLook(): (event: CallEvent) => boolean {
  let hasBegun = false;
  return ({ call: { what } }) => {
    hasBegun ||= what === 'claim: DELETE';
    return hasBegun && /^redis (moveToFinished|moveToDelayed|retryJob) advance$/.test(what);
  };
}

function catchAt(point: Point, number: number): Caught {
  const landed = createHold<'deliver'>();
  landed.release('deliver');
  const before = createHold<'forward' | 'drop'>();
  return { point, number, before, after: createHold<'deliver' | 'cut'>(), landed, callsSince: 0 };
}

/** @returns what becomes of a call until the scenario's turn has been taken, then `done` */
export function createTurn(
  { environment }: Pick<Lab, 'environment'>,
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
