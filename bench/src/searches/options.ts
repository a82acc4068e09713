import { parseArgs } from 'node:util';
import { parseOrExplain, parseShards, parseWhole } from '../flags';

export interface SearchesOptions {
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** each condition is measured once in each of them */
  readonly rounds: number;
  /** how long one condition is measured */
  readonly seconds: number;
  /** how many search at once */
  readonly clients: number;
  /** what each of them waits between two searches */
  readonly pauseMs: number;
  readonly help: boolean;
}

export const searchesUsage = `npm run bench -- searches [options]

  --docs N         documents of the source: enough to copy for longer than is measured (default 1500000)
  --shards A:B     shards of the source and of the target (default 4:8)
  --rounds N       alternations of no migration, low-impact and high-throughput (default 3)
  --seconds N      how long each of them is measured (default 15)
  --clients N      how many search at once (default 4)
  --pause MS       what each of them waits between two searches (default 50)
  --help           show this`;

const mostDocuments = 100_000_000;
const mostShards = 64;
const mostRounds = 100;
const mostSeconds = 3600;
/** The HTTP client has 64 connections to a node. */
const mostClients = 60;
const mostPauseMs = 60_000;

/** @param args the command line behind `searches` @throws {UsageError} */
export function parseSearchesOptions(args: readonly string[]): SearchesOptions {
  const { docs, shards, rounds, seconds, clients, pause, help } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          docs: { type: 'string', default: '1500000' },
          shards: { type: 'string', default: '4:8' },
          rounds: { type: 'string', default: '3' },
          seconds: { type: 'string', default: '15' },
          clients: { type: 'string', default: '4' },
          pause: { type: 'string', default: '50' },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
  return {
    documents: parseWhole('--docs', docs, 1, mostDocuments),
    ...parseShards(shards, mostShards),
    rounds: parseWhole('--rounds', rounds, 1, mostRounds),
    seconds: parseWhole('--seconds', seconds, 1, mostSeconds),
    clients: parseWhole('--clients', clients, 1, mostClients),
    pauseMs: parseWhole('--pause', pause, 0, mostPauseMs),
    help,
  };
}
