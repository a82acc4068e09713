import { type Cluster, startCluster } from './flaws/support/cluster';
import { runSeed } from './exactness/run';

jest.setTimeout(240_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

/** A few of the seeds that `npm run exactness` draws without end. */
test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'seed %d: nothing differs (npm run exactness -- --seed %d)',
  async (seed) => {
    const { problems } = await runSeed(cluster, seed);
    expect(problems).toEqual([]);
  },
);
