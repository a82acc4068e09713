import { borrowCluster, type Cluster } from './races/support/cluster';
import { runSeed } from './exactness/run';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** A few of the seeds that `npm run exactness` goes through: every mode, with a transform of each kind and without. */
test.each([1, 3, 4, 6, 8, 12].map((seed) => ({ seed })))(
  'nothing differs after npm run exactness -- --seed $seed',
  async ({ seed }) => {
    const { problems } = await runSeed(cluster, seed);
    expect(problems).toEqual([]);
  },
);
