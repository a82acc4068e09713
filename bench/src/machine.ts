import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { Machine } from './results';

export function describeMachine(openSearch: string, loadBefore: number): Machine {
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
export function readCommit(): string {
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
