import { type Lab, startLab } from './crash-points/lab';
import { callAt, describePoint, type Point } from './crash-points/place';
import { listPoints, readPlaces } from './crash-points/points';
import { recordPlaces } from './crash-points/record-places';
import { runPoint } from './crash-points/run-point';
import { findScenario } from './crash-points/scenarios';

jest.setTimeout(600_000);

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.stop());

test('every changing call of a migration is known: npm run crash-points -- --record 3 adds new ones', async () => {
  const { places, problems } = await recordPlaces(lab, findScenario('complete'));
  expect(problems).toEqual([]);
  const known = new Set(Object.values(readPlaces()).flat().map(callAt));
  expect(places.filter((place) => !known.has(callAt(place)))).toEqual([]);
  // Nor has the recording overlooked what every migration does.
  for (const [at] of selection) expect(places).toContain(at);
});

/** One for each kind of harm; `npm run crash-points` runs them all. */
const selection = [
  ['scheduler/ACTIVE/aliases: -setup +token +fence', 'late'],
  ['scheduler/CUTTING_OVER/PUT source/_block/write', 'after'],
  ['scheduler/COMPLETING/aliases: -token -alias +alias +committed -fence', 'before'],
  ['scheduler/COMPLETING/aliases: -token -alias +alias +committed -fence', 'after'],
  ['worker/BACKFILLING/bulk of documents', 'late'],
  ['worker/CATCHING_UP/record of the shard: to COMPLETING', 'after'],
] as const satisfies readonly (readonly [Point['place'], Point['moment']])[];

test.each(selection)('dies at %s %s: another ends the migration', async (place, moment) => {
  const { problems, outcome } = await runPoint(lab, { scenario: 'complete', place, moment });
  expect({ problems, outcome }).toEqual({ problems: [], outcome: 'passed' });
});

test('no place is listed twice', () => {
  const names = listPoints().map(describePoint);
  expect(new Set(names).size).toBe(names.length);
});
