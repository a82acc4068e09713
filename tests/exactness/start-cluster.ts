import { type Cluster, startCluster } from '../races/support/cluster';
import { type Ground, groundOptions, prepareGround } from '../support/ground';

const heapMb = 512;

/** The cluster that runs on this ground need: one node with data, or one in each of two zones. */
export async function startGround(ground: Ground): Promise<Cluster> {
  const nodes = { plain: [{}], search_replicas: [{ heapMb }], weighted_zones: [{ heapMb }, { heapMb }] }[
    ground
  ];
  const cluster = await startCluster(groundOptions(ground, nodes));
  await prepareGround(cluster.http, ground, nodes.length);
  return cluster;
}
