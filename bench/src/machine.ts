import { cpus, loadavg, totalmem } from 'node:os';
import { readCommit } from '@aosc/testkit';
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
