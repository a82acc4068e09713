import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from '../flags';

export interface OverloadOptions {
  readonly documents: number;
  /** each controller makes one run in each of them */
  readonly rounds: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** bulks that wait at the node beside the one that it works on; the next one is refused */
  readonly queue: number;
  readonly help: boolean;
}

export const overloadUsage = `npm run bench -- overload [options]

  --docs N         documents to copy (default 200000)
  --rounds N       alternations of the three controllers (default 3)
  --shards A:B     shards of the source and of the target (default 4:4)
  --queue N        thread_pool.write.queue_size of the node (default 8)
  --help           show this`;

const mostDocuments = 100_000_000;
const mostRounds = 100;
const mostShards = 64;
const mostQueue = 10_000;

/** @param args the command line behind `overload` @throws {UsageError} */
export function parseOverloadOptions(args: readonly string[]): OverloadOptions {
  const { docs, rounds, shards, queue, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '200000' },
          rounds: { type: 'string', default: '3' },
          shards: { type: 'string', default: '4:4' },
          queue: { type: 'string', default: '8' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    rounds: parseWhole('--rounds', rounds, 1, mostRounds),
    ...parseShards(shards, mostShards),
    queue: parseWhole('--queue', queue, 1, mostQueue),
    help,
  };
}
