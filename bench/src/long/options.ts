import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from '../flags';

export interface LongOptions {
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** operations a second that applications write meanwhile */
  readonly rate: number;
  /** the target is made of the files of the source */
  readonly byFiles: boolean;
  /** between two samples */
  readonly everySeconds: number;
  /** percent of the documents that are copied when all snapshots are closed behind the service's back; 0: they never are */
  readonly loseAt: number;
  readonly help: boolean;
}

export const longUsage = `npm run bench -- long [options]

  --docs N       documents to copy (default 20000000)
  --shards A:B   shards of the source and of the target (default 4:8)
  --rate N       operations a second that applications write (default 500)
  --files        the target is made of the files of the source; CPU then counts the merges that follow
  --every S      seconds between two samples (default 10)
  --lose-at P    closes all snapshots when P percent are copied, as if the node had lost them (default 0: never)
  --help         show this`;

const mostDocuments = 1_000_000_000;
const mostShards = 400;
const mostRate = 10_000;
const mostSeconds = 3600;

/** @param args the command line behind `long` @throws {UsageError} */
export function parseLongOptions(args: readonly string[]): LongOptions {
  const values = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '20000000' },
          shards: { type: 'string', default: '4:8' },
          rate: { type: 'string', default: '500' },
          files: { type: 'boolean', default: false },
          every: { type: 'string', default: '10' },
          'lose-at': { type: 'string', default: '0' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    documents: parseWhole('--docs', values.docs, 1, mostDocuments),
    ...parseShards(values.shards, mostShards),
    rate: parseWhole('--rate', values.rate, 1, mostRate),
    byFiles: values.files,
    everySeconds: parseWhole('--every', values.every, 1, mostSeconds),
    loseAt: parseWhole('--lose-at', values['lose-at'], 0, 99),
    help: values.help,
  };
}
