import { createRandom } from '@aosc/testkit';
import { drawPlan as drawChaos } from '../chaos/plan';
import { drawPlan as drawExactness } from '../exactness/plan';
import { drawSoakPlan } from '../soak/plan';
import { drawGround, groundOptions, grounds } from './ground';

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

test.each([
  ['chaos', drawChaos, (seed: number) => drawChaos(seed, { ground: 'plain' })],
  ['exactness', drawExactness, (seed: number) => drawExactness(seed, 'plain')],
])('%s draws every ground, and a chosen one changes only what depends on it', (_, draw, drawPlain) => {
  expect(new Set(seeds.map((seed) => draw(seed).ground))).toEqual(new Set(grounds));
  // Whether a target can be made of files depends on the ground, and with it its copies, rehearsals and what it refuses.
  const ofFiles = {
    target: {},
    byFiles: true,
    replication: 'document',
    retainedDeletes: 0,
    verifies: 'count',
    refuses: 'none',
  };
  for (const seed of seeds.slice(0, 100))
    expect({ ...drawPlain(seed), ...ofFiles }).toEqual({ ...draw(seed), ground: 'plain', ...ofFiles });
});

test('a lasting installation goes through restarts before some migrations, and a soak has its own', () => {
  expect(seeds.filter((seed) => drawChaos(seed).shakes > 0).length).toBeGreaterThan(30);
  expect(seeds.filter((seed) => drawExactness(seed).restartsNode).length).toBeGreaterThan(10);
  for (const seed of seeds) expect(drawSoakPlan(seed)).toMatchObject({ ground: 'plain', shakes: 0 });
});

test('an older release and a cluster that is given have no search replicas', () => {
  const draw = (environment: NodeJS.ProcessEnv): ReadonlySet<string> =>
    new Set(seeds.map((seed) => drawGround(createRandom(seed), undefined, environment)));
  expect(draw({ AOSC_OPENSEARCH_VERSION: '2.19.5' })).toEqual(new Set(['plain', 'weighted_zones']));
  expect(draw({ AOSC_OPENSEARCH_URL: 'http://localhost:9200' })).toEqual(new Set(['plain']));
});

test('search replicas get a node of their own', () => {
  const { nodes, remoteStore } = groundOptions('search_replicas', [{}]);
  expect(nodes.map(({ roles }) => roles?.includes('search'))).toEqual([false, true]);
  expect(remoteStore).toBe(true);
});
