import { parseArgs } from 'node:util';
import { parseOrExplain, parseWhole, UsageError } from '../flags';

/** So many migrations at once, of so many source shards each. */
export interface FleetPoint {
  readonly migrations: number;
  readonly shards: number;
}

export interface FleetOptions {
  /** measured in this order, on the same servers */
  readonly points: readonly FleetPoint[];
  /** migrations that have ended and are still recorded, before any of the points */
  readonly recorded: number;
  /** of each source shard, about */
  readonly documentsPerShard: number;
  readonly heapMb: number;
  readonly help: boolean;
}

const defaultPoints = '1x20,5x20,10x20,20x20,5x100,10x100';

export const fleetUsage = `npm run bench -- fleet [options]

  --points MxS,...  M migrations at once of S source shards each, one after the other
                    (default ${defaultPoints})
  --recorded N      migrations that have ended and are still in the records (default 0)
  --docs N          documents of each source shard (default 10)
  --heap MB         of the node (default 6144)
  --help            show this`;

const mostMigrations = 1_000;
const mostShards = 1_000;
const mostRecorded = 100_000;
const mostDocuments = 1_000_000;
const leastHeapMb = 1_024;
const mostHeapMb = 65_536;

/** @param args the command line behind `fleet` @throws {UsageError} */
export function parseFleetOptions(args: readonly string[]): FleetOptions {
  const { points, recorded, docs, heap, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          points: { type: 'string', default: defaultPoints },
          recorded: { type: 'string', default: '0' },
          docs: { type: 'string', default: '10' },
          heap: { type: 'string', default: '6144' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    points: points.split(',').map((text) => parsePoint(text.trim())),
    recorded: parseWhole('--recorded', recorded, 0, mostRecorded),
    documentsPerShard: parseWhole('--docs', docs, 1, mostDocuments),
    heapMb: parseWhole('--heap', heap, leastHeapMb, mostHeapMb),
    help,
  };
}

function parsePoint(text: string): FleetPoint {
  const [migrations, shards, ...rest] = text.split('x');
  if (migrations === undefined || shards === undefined || rest.length > 0) {
    throw new UsageError(`--points ${text}: expected migrations and shards, like 10x20`);
  }
  return {
    migrations: parseWhole('--points', migrations, 1, mostMigrations),
    shards: parseWhole('--points', shards, 1, mostShards),
  };
}
