import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly documents: number;
  /** each kind of run is made once in each of them */
  readonly rounds: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** folder for a CPU profile of the worker; undefined: none is taken, as it slows the worker down */
  readonly profile: string | undefined;
  readonly help: boolean;
}

/** What the user typed can't be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `npm run bench -- [options]

  --docs N         documents to copy (default 1000000)
  --rounds N       alternations of _reindex (size 1000), _reindex (size 5000) and AOSC (default 3)
  --shards A:B     shards of the source and of the target (default 4:8)
  --profile FOLDER write a CPU profile of the worker there (slows it down)
  --help           show this`;

const mostDocuments = 100_000_000;
const mostRounds = 100;
const mostShards = 64;

/** @param args the command line behind the script's name @throws {UsageError} */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { docs, rounds, shards, profile, help } = parseFlags(args);
  const pair = /^(\d+):(\d+)$/.exec(shards);
  const [sourceShards, targetShards] = pair === null ? [0, 0] : [Number(pair[1]), Number(pair[2])];
  if (pair === null || !isBetween(sourceShards, 1, mostShards) || !isBetween(targetShards, 1, mostShards)) {
    throw new UsageError(`--shards ${shards}: expected two numbers from 1 to ${mostShards}, like 4:8`);
  }
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    rounds: parseWhole('--rounds', rounds, 1, mostRounds),
    sourceShards,
    targetShards,
    profile,
    help,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        docs: { type: 'string', default: '1000000' },
        rounds: { type: 'string', default: '3' },
        shards: { type: 'string', default: '4:8' },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseWhole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && isBetween(value, least, most)) return value;
  throw new UsageError(`${flag} ${text}: expected a whole number from ${least} to ${most}`);
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
