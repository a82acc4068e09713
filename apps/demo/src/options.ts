import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly sourceShards: number;
  readonly targetShards: number;
  /** undefined: the whole data set once */
  readonly documents: number | undefined;
  /** operations a second of all writers together */
  readonly rate: number;
  /** a cluster to run on, as AOSC_OPENSEARCH_URL names it; undefined: that variable, else a cluster of its own */
  readonly openSearch: string | undefined;
  /** a Redis to run on, as AOSC_REDIS_URL names it; undefined: that variable, else a Redis of its own */
  readonly redis: string | undefined;
  /** leave everything running at the end */
  readonly keep: boolean;
  readonly help: boolean;
}

/** What the user typed can't be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `npm run demo -- [options]

  --shards A:B      shards of the source and of the target (default 2:4)
  --docs N          documents to load; the data set is cut or repeated (default: all of it, once)
  --rate R          write operations a second while the migration runs (default 300)
  --opensearch URL  run on this cluster, in place of one that the demo starts (or: AOSC_OPENSEARCH_URL)
  --redis URL       run on this Redis, in place of one that the demo starts (or: AOSC_REDIS_URL)
  --keep            leave everything running at the end, until Ctrl-C
  --help            show this

A URL may hold user and password. Everybody on this machine can read the flags of a process, so a password that matters
belongs into the variable. The demo touches nothing on a cluster or Redis that it has not made itself, and removes that
at its end.`;

const mostShards = 32;
const mostDocuments = 20_000_000;
const mostOperations = 20_000;

/** @param args the command line behind the script's name @throws {UsageError} */
export function parseOptions(args: readonly string[]): DemoOptions {
  const { shards, docs, rate, opensearch, redis, keep, help } = parseFlags(args);
  const pair = /^(\d+):(\d+)$/.exec(shards);
  if (pair === null) throw new UsageError(`--shards ${shards}: expected two numbers, like 2:4`);
  return {
    sourceShards: parseWhole('--shards', pair[1] ?? '', 1, mostShards),
    targetShards: parseWhole('--shards', pair[2] ?? '', 1, mostShards),
    documents: docs === undefined ? undefined : parseWhole('--docs', docs, 1, mostDocuments),
    rate: parseWhole('--rate', rate, 1, mostOperations),
    openSearch: opensearch,
    redis,
    keep,
    help,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        shards: { type: 'string', default: '2:4' },
        docs: { type: 'string' },
        rate: { type: 'string', default: '300' },
        opensearch: { type: 'string' },
        redis: { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseWhole(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${flag} ${text}: expected a whole number from ${min} to ${max}`);
}

/** A shape whose documents go through the target's own routing, which the service does on request only. */
export function isBulkShape(sourceShards: number, targetShards: number): boolean {
  const factor = targetShards / sourceShards;
  return !Number.isInteger(Math.log2(factor)) || factor < 1;
}

/**
 * `index.number_of_routing_shards` for both indices: a split needs the same value on both sides, and each
 * shard count must divide it. OpenSearch takes up to 1024.
 */
export function chooseRoutingShards(sourceShards: number, targetShards: number): number {
  let shards = leastCommonMultiple(sourceShards, targetShards);
  while (shards * 2 <= 1024) shards *= 2;
  return shards;
}

function leastCommonMultiple(a: number, b: number): number {
  let multiple = a;
  while (multiple % b !== 0) multiple += a;
  return multiple;
}
