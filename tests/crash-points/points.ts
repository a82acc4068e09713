import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { momentsAt, type Place, type Point } from './place';
import { type CrashScenario, scenarios } from './scenarios';

const file = join(__dirname, 'places.json');
const parse = createParser('places of crashes', Type.Record(Type.String(), Type.Array(Type.String())));

/** The places of each scenario that recordings have met. */
export function readPlaces(): Readonly<Record<string, readonly Place[]>> {
  return parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The places of one scenario, those included that it has from another. */
function placesOf({ name, borrows }: CrashScenario): readonly Place[] {
  const places = readPlaces();
  return [
    ...(borrows === undefined
      ? []
      : (places[borrows.from] ?? []).filter((place) => borrows.places.test(place))),
    ...(places[name] ?? []),
  ];
}

/** Every place, at every moment, each place in the first scenario that has it. */
export function listPoints(): readonly Point[] {
  return scenarios.flatMap((scenario) =>
    placesOf(scenario).flatMap((place) =>
      momentsAt(place).map((moment) => ({ scenario: scenario.name, place, moment })),
    ),
  );
}

/** Adds places that are in no scenario yet. @returns those that were added */
export function addPlaces(scenario: string, found: readonly Place[]): readonly Place[] {
  const before = readPlaces();
  const known = new Set(Object.values(before).flat());
  const added = found.filter((place) => !known.has(place));
  const after = { ...before, [scenario]: [...(before[scenario] ?? []), ...added] };
  writeFileSync(file, `${JSON.stringify(after, undefined, 2)}\n`);
  return added;
}
