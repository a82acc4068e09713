import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from '../flags';

export interface StatusOptions {
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** requests a second */
  readonly rate: number;
  /** how long the ended migration is asked for, to compare with */
  readonly idleSeconds: number;
  readonly help: boolean;
}

export const statusUsage = `npm run bench -- status [options]

  --docs N         documents to copy (default 200000)
  --shards A:B     shards of the source and of the target (default 200:200)
  --rate N         status requests a second (default 20)
  --idle SECONDS   how long it is asked with no migration running (default 60)
  --help           show this`;

const mostDocuments = 100_000_000;
/** OpenSearch takes 1,000 shards on a node unless told otherwise. */
const mostShards = 400;
const mostRequestsPerSecond = 90;
const mostIdleSeconds = 3600;

/** @param args the command line behind `status` @throws {UsageError} */
export function parseStatusOptions(args: readonly string[]): StatusOptions {
  const { docs, shards, rate, idle, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '200000' },
          shards: { type: 'string', default: '200:200' },
          rate: { type: 'string', default: '20' },
          idle: { type: 'string', default: '60' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    ...parseShards(shards, mostShards),
    rate: parseWhole('--rate', rate, 1, mostRequestsPerSecond),
    idleSeconds: parseWhole('--idle', idle, 1, mostIdleSeconds),
    help,
  };
}
