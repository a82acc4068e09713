import type { RunResult } from './run';

const counted = [
  'documents',
  'operations',
  'deletes',
  'recreations',
  'lowerVersions',
  'conflicts',
  'rounds',
  'snapshotsClosed',
  'snapshotsLost',
  'takeovers',
  'unknownBulks',
  'lateBulks',
  'failedReads',
  'maintenance',
] as const satisfies readonly (keyof RunResult)[];

/** What a run came to, as one line for people. */
export function describeRun(result: RunResult): string {
  const { seed, outcome, plan, elapsedMs, operations, deletes, recreations, conflicts } = result;
  return (
    `seed ${seed}: ${outcome} in ${(elapsedMs / 1000).toFixed(1)} s, ${plan}: ${operations} operations, ` +
    `${deletes} deletes, ${recreations} re-creations, ${conflicts} conflicts`
  );
}

/** What leads back to a run that went wrong. */
export function describeProblems({ seed, problems }: RunResult): string {
  return [...problems.map((problem) => `  ${problem}`), `  replay: npm run exactness -- --seed ${seed}`].join(
    '\n',
  );
}

export function summarize(results: readonly RunResult[]): string {
  const count = (outcome: RunResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const sums = counted.map(
    (name) => `${results.reduce((sum, result) => sum + result[name], 0)} ${inWords(name)}`,
  );
  return (
    `${results.length} runs: ${count('exact')} exact, ${count('failed_as_it_must')} failed as they must, ` +
    `${count('wrong')} wrong\n${sums.join(', ')}`
  );
}

function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
