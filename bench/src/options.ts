import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from './flags';

export interface BenchOptions {
  readonly documents: number;
  /** each kind of run is made once in each of them */
  readonly rounds: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** folder for a CPU profile of the worker; undefined: none is taken, as it slows the worker down */
  readonly profile: string | undefined;
  /** the target of AOSC is made of the files of the source */
  readonly byFiles: boolean;
  /** each migration of AOSC is verified by content when it has ended */
  readonly isVerified: boolean;
  /** the cluster has one half of the cores, and the service the other */
  readonly pinned: boolean;
  readonly help: boolean;
}

export const usage = `npm run bench -- [options]
npm run bench -- suite [options]      (see npm run bench -- suite --help)
npm run bench -- cutover [options]    (see npm run bench -- cutover --help)
npm run bench -- flame FILE           (draws a profile that --profile has written)
npm run bench -- keep RUN [PICTURE…]  (adds a run to the index that the repository keeps)
npm run bench -- fleet [options]      (see npm run bench -- fleet --help)
npm run bench -- long [options]       (see npm run bench -- long --help)
npm run bench -- rest [options]       (see npm run bench -- rest --help)

  --docs N         documents to copy (default 1000000)
  --rounds N       alternations of _reindex (size 1000), _reindex (size 5000) and AOSC (default 3)
  --shards A:B     shards of the source and of the target (default 4:8)
  --files          AOSC makes its target of the files of the source; speeds and CPU then count the merges that follow
  --verify         each migration is verified by content when it has ended: what that takes, as parts of the copy
  --pinned         the node has one half of the cores, and the service with Redis the other
  --profile FOLDER write a CPU profile of the worker there (slows it down)
  --help           show this`;

const mostDocuments = 100_000_000;
const mostRounds = 100;
const mostShards = 64;

/** @param args the command line behind the script's name @throws {UsageError} */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { docs, rounds, shards, profile, files, verify, pinned, help } = parseFlags(args);
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    rounds: parseWhole('--rounds', rounds, 1, mostRounds),
    ...parseShards(shards, mostShards),
    profile,
    byFiles: files,
    isVerified: verify,
    pinned,
    help,
  };
}

function parseFlags(args: readonly string[]) {
  return parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '1000000' },
          rounds: { type: 'string', default: '3' },
          shards: { type: 'string', default: '4:8' },
          profile: { type: 'string' },
          files: { type: 'boolean', default: false },
          verify: { type: 'boolean', default: false },
          pinned: { type: 'boolean', default: false },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
}
