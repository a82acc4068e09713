import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole, UsageError } from '../flags';

export interface ScalePoint {
  readonly workers: number;
  readonly nodes: number;
}

export interface ScaleOptions {
  readonly points: readonly ScalePoint[];
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly rounds: number;
  readonly help: boolean;
}

const defaultPoints = '1x1,2x1,4x1,1x2,2x2,1x3,4x3';

export const scaleUsage = `npm run bench -- scale [options]

  --points WxN,...  W workers and N nodes, each on servers of its own
                    (default ${defaultPoints})
  --docs N          documents to copy (default 300000)
  --shards A:B      shards of the source and of the target (default 16:16)
  --rounds N        copies of AOSC and of _reindex in turn, after one of warm-up (default 2)
  --help            show this`;

const mostProcesses = 32;
const mostDocuments = 100_000_000;
const mostShards = 400;
const mostRounds = 100;

/** @param args the command line behind `scale` @throws {UsageError} */
export function parseScaleOptions(args: readonly string[]): ScaleOptions {
  const { points, docs, shards, rounds, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          points: { type: 'string', default: defaultPoints },
          docs: { type: 'string', default: '300000' },
          shards: { type: 'string', default: '16:16' },
          rounds: { type: 'string', default: '2' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    points: points.split(',').map((text) => parsePoint(text.trim())),
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    ...parseShards(shards, mostShards),
    rounds: parseWhole('--rounds', rounds, 1, mostRounds),
    help,
  };
}

function parsePoint(text: string): ScalePoint {
  const [workers, nodes, ...rest] = text.split('x');
  if (workers === undefined || nodes === undefined || rest.length > 0) {
    throw new UsageError(`--points ${text}: expected workers and nodes, like 2x3`);
  }
  return {
    workers: parseWhole('--points', workers, 1, mostProcesses),
    nodes: parseWhole('--points', nodes, 1, mostProcesses),
  };
}
