import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Gives the cluster one half of the cores and the service the other, as the service has machines of its own in earnest.
 * Redis and the benchmark stay with the service. By `taskset` of Linux, for every thread of each process group; threads
 * that come later inherit it.
 * @param clusterPids leaders of process groups, as those of `servicePids`
 * @throws Error on one core, and where there is no `taskset` or `pgrep`
 */
export async function pinApart(
  clusterPids: readonly number[],
  servicePids: readonly number[],
): Promise<void> {
  const cores = availableParallelism();
  if (cores < 2) throw new Error('--pinned needs two cores');
  const half = Math.floor(cores / 2);
  await pin(clusterPids, `0-${half - 1}`);
  await pin(servicePids, `${half}-${cores - 1}`);
}

async function pin(leaders: readonly number[], cores: string): Promise<void> {
  for (const leader of leaders) {
    const { stdout } = await run('pgrep', ['-g', String(leader)]);
    for (const pid of stdout.split('\n').filter(Boolean)) await run('taskset', ['-acp', cores, pid]);
  }
}
