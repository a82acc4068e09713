import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from '../flags';

export interface RestOptions {
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** operations a second that applications write, with and without the migration */
  readonly rate: number;
  readonly rounds: number;
  /** of each measurement */
  readonly seconds: number;
  readonly help: boolean;
}

export const restUsage = `npm run bench -- rest [options]

  --docs N       documents to copy (default 50000)
  --shards A:B   shards of the source and of the target (default 32:32)
  --rate N       operations a second that applications write (default 200)
  --rounds N     measurements without and beside a converged migration (default 3)
  --seconds S    of each measurement (default 30)
  --help         show this`;

const mostDocuments = 100_000_000;
const mostShards = 400;
const mostRate = 10_000;
const mostRounds = 100;
const mostSeconds = 3600;

/** @param args the command line behind `rest` @throws {UsageError} */
export function parseRestOptions(args: readonly string[]): RestOptions {
  const { docs, shards, rate, rounds, seconds, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '50000' },
          shards: { type: 'string', default: '32:32' },
          rate: { type: 'string', default: '200' },
          rounds: { type: 'string', default: '3' },
          seconds: { type: 'string', default: '30' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    ...parseShards(shards, mostShards),
    rate: parseWhole('--rate', rate, 1, mostRate),
    rounds: parseWhole('--rounds', rounds, 1, mostRounds),
    seconds: parseWhole('--seconds', seconds, 1, mostSeconds),
    help,
  };
}
