import type { ShardRecord } from '@aosc/contract';

/**
 * One run of one node of the cluster, `node id/ephemeral id`. A node keeps its id when it restarts, but requests that
 * its process held are gone with the process.
 */
export type NodeRun = string;

export function nodeRun(nodeId: string, ephemeralId: string): NodeRun {
  return `${nodeId}/${ephemeralId}`;
}

export function nodeIdOf(run: NodeRun): string {
  return run.split('/', 1)[0] ?? run;
}

/**
 * Runs that are out of the cluster but may still be working: paused, or cut off. A run whose node is back in another
 * run is not among them: only one process at a time can use a node's data folder.
 */
export function missingRuns(known: readonly NodeRun[], members: readonly NodeRun[]): readonly NodeRun[] {
  const present = new Set(members);
  const ids = new Set(members.map(nodeIdOf));
  return known.filter((run) => !present.has(run) && !ids.has(nodeIdOf(run)));
}

/** Runs that may hold a bulk of these shards. */
export function runsOf(shards: readonly Pick<ShardRecord, 'writer'>[]): readonly NodeRun[] {
  return [...new Set(shards.flatMap(({ writer }) => writer.nodes ?? []))];
}
