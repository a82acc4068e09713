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

test.each(['complete', 'a write hold'])(
  'every changing call of a migration is known, in %s: npm run crash-points -- --record 3 adds new ones',
  async (name) => {
    const { places, problems } = await recordPlaces(lab, findScenario(name));
    expect(problems).toEqual([]);
    const known = new Set(Object.values(readPlaces()).flat().map(callAt));
    expect(places.filter((place) => !known.has(callAt(place)))).toEqual([]);
    // Nor has the recording overlooked what every migration does.
    for (const [scenario, at] of selection) if (scenario === name) expect(places).toContain(at);
  },
);

/** One for each kind of harm; `npm run crash-points` runs them all. */
const selection = [
  ['complete', 'scheduler/ACTIVE/aliases: -setup +token +fence', 'late'],
  ['complete', 'scheduler/CUTTING_OVER/PUT source/_block/write', 'after'],
  ['complete', 'scheduler/COMPLETING/aliases: -token -alias +alias +committed -fence', 'before'],
  ['complete', 'scheduler/COMPLETING/aliases: -token -alias +alias +committed -fence', 'after'],
  ['complete', 'worker/BACKFILLING/bulk of documents', 'late'],
  ['complete', 'worker/CATCHING_UP/record of the shard: to COMPLETING', 'after'],
  [
    'a write hold',
    'scheduler/CUTTING_OVER/settings of block: number_of_replicas routing.allocation.enable write.wait_for_active_shards',
    'late',
  ],
  [
    'a write hold',
    'scheduler/COMPLETING/settings of block: blocks.write number_of_replicas write.wait_for_active_shards',
    'after',
  ],
] as const satisfies readonly (readonly [Point['scenario'], Point['place'], Point['moment']])[];

test.each(selection)('%s: dies at %s %s: another ends the migration', async (scenario, place, moment) => {
  const { problems, outcome } = await runPoint(lab, { scenario, place, moment });
  expect({ problems, outcome }).toEqual({ problems: [], outcome: 'passed' });
});

test('no place is listed twice', () => {
  const names = listPoints().map(describePoint);
  expect(new Set(names).size).toBe(names.length);
});
