import { type Outcome, outcomes, type RunResult } from './run';

export const counted = [
  'documents',
  'operations',
  'deletes',
  'recreations',
  'lowerVersions',
  'moves',
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
  const { seed, outcome, plan, elapsedMs, operations, deletes, recreations, moves, conflicts } = result;
  return (
    `seed ${seed}: ${outcome} in ${(elapsedMs / 1000).toFixed(1)} s, ${plan}: ${operations} operations, ` +
    `${deletes} deletes, ${recreations} re-creations, ${moves} moves, ${conflicts} conflicts`
  );
}

type Counted = (typeof counted)[number];
/** What a summary needs of a run. */
export type Summarized = Pick<RunResult, 'outcome'> & Readonly<Record<Counted, number>>;

/** All runs, and the sums of each outcome on a line of its own. */
export function summarize(results: readonly Summarized[]): string {
  const lines = outcomes.flatMap((outcome) => {
    const own = results.filter((result) => result.outcome === outcome);
    if (own.length === 0) return [];
    const sums = counted.map(
      (name) => `${own.reduce((sum, result) => sum + result[name], 0)} ${inWords(name)}`,
    );
    return [`${own.length} ${words[outcome]}: ${sums.join(', ')}`];
  });
  return [`${results.length} runs`, ...lines].join('\n');
}

const words: Readonly<Record<Outcome, string>> = {
  exact: 'exact',
  failed_as_it_must: 'failed as they must',
  wrong: 'wrong',
  interrupted: 'interrupted',
};

function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
