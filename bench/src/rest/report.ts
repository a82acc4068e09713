import { describeLoad, group } from '../report';
import { medianOf } from '../summary';
import type { RestResult } from './results';

/** The lines at the end. */
export function createRestReport(result: RestResult): readonly string[] {
  const { runs, machine, documents, sourceShards, targetShards, rate, seconds } = result;
  const more = medianOf(runs.map((run) => run.clusterCoresBeside - run.clusterCoresAlone));
  return [
    `${group(documents)} documents, ${sourceShards} → ${targetShards} shards, ${rate} operations/s, ${seconds} s each`,
    `  a converged migration that waits costs the cluster ${(100 * more).toFixed(1)} % of one core beyond the writes ` +
      `(median of ${runs.length}), with ${medianOf(runs.map((run) => run.requestsPerSecond)).toFixed(1)} requests/s`,
    describeLoad(machine),
  ];
}
