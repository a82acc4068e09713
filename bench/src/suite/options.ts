import { parseArgs } from 'node:util';
import { parseOrExplain, parseWhole, UsageError } from '../flags';

/** In the order in which they are measured. */
export const caseNames = [
  'orders',
  'cities',
  'large',
  'transform',
  'updated',
  'files',
  'elasticdump',
  'sustained',
  'applications',
] as const;
export type CaseName = (typeof caseNames)[number];

export interface SuiteOptions {
  readonly only: readonly CaseName[];
  /** small counts and a single round: to look whether everything runs, and how about */
  readonly short: boolean;
  /** each contestant of a case makes one run in each of them */
  readonly rounds: number;
  /** of each case; undefined: the case's own number */
  readonly documents: number | undefined;
  readonly help: boolean;
}

const shortCases: readonly CaseName[] = ['orders', 'cities', 'transform'];
const fullRounds = 3;
const shortRounds = 1;
const mostRounds = 100;
const mostDocuments = 100_000_000;

export const suiteUsage = `npm run bench -- suite [options]

  --only A,B,...   cases to measure (default all): ${caseNames.slice(0, 4).join(', ')},
                   ${caseNames.slice(4).join(', ')}
  --short          small numbers of documents and one round; unless --only says otherwise, of
                   ${shortCases.join(', ')}
  --rounds N       rounds of each case (default ${fullRounds}, with --short ${shortRounds})
  --docs N         documents of each case, to try it out (default: each case has its own number)
  --help           show this`;

/** @param args the command line behind `suite` @throws {UsageError} */
export function parseSuiteOptions(args: readonly string[]): SuiteOptions {
  const { only, short, rounds, docs, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          only: { type: 'string' },
          short: { type: 'boolean', default: false },
          rounds: { type: 'string' },
          docs: { type: 'string' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  const defaults = short
    ? { only: shortCases, rounds: shortRounds }
    : { only: caseNames, rounds: fullRounds };
  return {
    only: only === undefined ? defaults.only : parseCases(only),
    short,
    rounds: rounds === undefined ? defaults.rounds : parseWhole('--rounds', rounds, 1, mostRounds),
    documents: docs === undefined ? undefined : parseWhole('--docs', docs, 1, mostDocuments),
    help,
  };
}

function parseCases(text: string): readonly CaseName[] {
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !caseNames.some((known) => known === name));
  if (unknown !== undefined) {
    throw new UsageError(`--only ${text}: no case "${unknown}"; there are ${caseNames.join(', ')}`);
  }
  return caseNames.filter((name) => wanted.includes(name));
}
