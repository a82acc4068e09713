/**
 * One run of one node of the cluster, `node id/ephemeral id`. A node keeps its id when it is restarted, and what its
 * process held of requests is gone with the process.
 */
export type NodeRun = string;

export function nodeRun(nodeId: string, ephemeralId: string): NodeRun {
  return `${nodeId}/${ephemeralId}`;
}

export function nodeIdOf(run: NodeRun): string {
  return run.split('/', 1)[0] ?? run;
}

/**
 * Runs that are out of the cluster and may go on nevertheless: paused, or cut off. One whose node is back in another
 * run is not among them: a node's data folder has one process at a time.
 */
export function missingRuns(known: readonly NodeRun[], members: readonly NodeRun[]): readonly NodeRun[] {
  const present = new Set(members);
  const ids = new Set(members.map(nodeIdOf));
  return known.filter((run) => !present.has(run) && !ids.has(nodeIdOf(run)));
}
