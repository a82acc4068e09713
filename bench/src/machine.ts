import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import type { Circumstances, Machine } from './results';

/**
 * Call it before the first run: the load of the machine is part of what is said.
 * @returns what every result begins with, once the version of OpenSearch is known
 */
export function noteCircumstances(): (openSearch: string) => Circumstances {
  const [loadBefore = 0] = loadavg();
  return (openSearch) => ({
    date: new Date().toISOString(),
    commit: readCommit(),
    machine: describeMachine(openSearch, loadBefore),
  });
}

function describeMachine(openSearch: string, loadBefore: number): Machine {
  const cores = cpus();
  return {
    cpus: cores.length,
    cpuModel: cores[0]?.model ?? 'unknown',
    memoryBytes: totalmem(),
    node: process.versions.node,
    openSearch,
    loadBefore,
  };
}

/** With a plus sign when the tree has changes that are not committed; outside of a repository: unknown. */
function readCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: __dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
