import { resolve } from 'node:path';
import { plot } from './plot';
import { controllerTypes, runScenario, scenarios } from './scenarios';

/** The same from `src` and from `dist`. */
export const plotFolder = resolve(__dirname, '../../../docs/concepts/flow-control');

export interface Plot {
  /** of the file */
  readonly name: string;
  readonly svg: string;
}

/** A plot of each scenario, with all controllers. */
export function drawAll(): readonly Plot[] {
  return scenarios.map((scenario) => ({
    name: `${scenario.name}.svg`,
    svg: plot(controllerTypes.map((type) => runScenario(scenario, type))),
  }));
}
