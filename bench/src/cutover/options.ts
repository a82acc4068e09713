import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from '../flags';

export interface CutoverOptions {
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly nodes: number;
  /** operations a second that applications write meanwhile; 0: none */
  readonly rate: number;
  /** between the service and the node, on top */
  readonly roundTripMs: number;
  readonly cutovers: number;
  /** migrations before those, which are not counted: the node's JVM compiles what it is going to run */
  readonly warmUps: number;
  /** clients that search an index of their own all the time, to keep the node's CPUs busy; 0: none */
  readonly load: number;
  /** folder of another built checkout, measured in turn with this one; undefined: this one alone */
  readonly beside: string | undefined;
  /** writers are held before the block; this build without a hold takes turns with it */
  readonly hold: boolean;
  /** clients of each habit: they send a refused write again at once, with a pause, or never; 0: none */
  readonly clients: number;
  readonly help: boolean;
}

export const cutoverUsage = `npm run bench -- cutover [options]

  --docs N         documents to copy (default 50000)
  --shards A:B     shards of the source and of the target (default 4:8)
  --nodes N        nodes of each cluster (default 1)
  --rate N         operations a second that applications write (default 200)
  --round-trip MS  added to each request between the service and the node (default 0)
  --cutovers N     migrations in a row (default 3)
  --warm-up N      migrations before those, not counted (default 4)
  --load N         clients that keep the node busy with searches of another index (default 0)
  --beside FOLDER  another checkout that is built: its migrations take turns with this one's
  --hold           hold writers before the block; migrations of this build without a hold take turns with it
  --clients N      clients of each of three habits: a refused write is sent again at once, with a pause, never (default 0)
  --help           show this`;

const mostDocuments = 100_000_000;
/** OpenSearch takes 1,000 shards on a node unless told otherwise. */
const mostShards = 400;
const mostNodes = 5;
const mostRate = 10_000;
const mostRoundTripMs = 1_000;
const mostCutovers = 200;
const mostLoad = 64;
const mostClients = 64;

/** @param args the command line behind `cutover` @throws {UsageError} */
export function parseCutoverOptions(args: readonly string[]): CutoverOptions {
  const { docs, shards, nodes, rate, cutovers, load, beside, hold, clients, help, ...rest } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '50000' },
          shards: { type: 'string', default: '4:8' },
          nodes: { type: 'string', default: '1' },
          rate: { type: 'string', default: '200' },
          'round-trip': { type: 'string', default: '0' },
          cutovers: { type: 'string', default: '3' },
          'warm-up': { type: 'string', default: '4' },
          load: { type: 'string', default: '0' },
          hold: { type: 'boolean', default: false },
          clients: { type: 'string', default: '0' },
          beside: { type: 'string' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    ...parseShards(shards, mostShards),
    nodes: parseWhole('--nodes', nodes, 1, mostNodes),
    rate: parseWhole('--rate', rate, 0, mostRate),
    roundTripMs: parseWhole('--round-trip', rest['round-trip'], 0, mostRoundTripMs),
    cutovers: parseWhole('--cutovers', cutovers, 1, mostCutovers),
    warmUps: parseWhole('--warm-up', rest['warm-up'], 0, mostCutovers),
    load: parseWhole('--load', load, 0, mostLoad),
    beside,
    hold,
    clients: parseWhole('--clients', clients, 0, mostClients),
    help,
  };
}
