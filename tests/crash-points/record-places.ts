import { createHold, terminalPhases } from '@aosc/testkit';
import type { Migration } from '../support/scenario';
import type { Lab } from './lab';
import type { Place } from './place';
import { runInLab, untilClaimsAreReleased } from './run-migration';
import type { CrashScenario } from './scenarios';
import { createTurn } from './traps';

export interface Recording {
  /** in the order in which they were met first */
  readonly places: readonly Place[];
  readonly problems: readonly string[];
}

/** Runs the scenario without a crash and notes the place of every changing call. */
export async function recordPlaces(lab: Lab, scenario: CrashScenario): Promise<Recording> {
  const places = new Set<Place>();
  const migration = createHold<Migration>();
  const turn = createTurn(lab, scenario, migration);
  const end = lab.listen((event) => {
    const turned = turn(event);
    if (turned !== 'done') return turned;
    places.add(event.place);
    return undefined;
  });
  try {
    const problems = await runInLab(lab, scenario, async (started) => {
      migration.release(started);
      await started.waitFor('the end', ({ phase }) => terminalPhases.includes(phase));
      await untilClaimsAreReleased(lab, started);
    });
    return { places: [...places], problems };
  } finally {
    end();
  }
}
