import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient } from '../http/http-client';
import { WriterModel } from '../model';
import { createRandom } from '../random';
import { makeDocument as defaultMakeDocument, makePartial as defaultMakePartial } from '../random-document';
import type { AcknowledgedOperation } from './acknowledgements';
import { KeyRange, type MakeDocument, type SpellId } from './key-range';
import { defaultMix, type OperationMix } from './operation';
import { createShardLookup } from './shard-lookup';
import { WriterTally, type WriterStats } from './tally';
import { createGate, type Gate } from './gate';
import { type BatchContext, writeBatch } from './write-batch';

export interface WritersOptions {
  readonly urls: readonly string[];
  /** whether the writers leave a URL out now (default: none) */
  readonly isAway?: (url: string) => boolean;
  /** what the application writes to */
  readonly alias: string;
  /** default 4 */
  readonly writers?: number;
  /** operations a second of all writers together; left out: as fast as the answers come */
  readonly rate?: number;
  /** the same seed gives the same operations (default 1) */
  readonly seed?: number;
  readonly mix?: Partial<OperationMix>;
  readonly makeDocument?: MakeDocument;
  readonly makePartial?: MakeDocument;
  /** ids (without routing) that are in the index already; shared out among the writers without custom routing */
  readonly adopt?: readonly string[];
  /** how many of the writers use custom routing; they are the last ones (default 1) */
  readonly routedWriters?: number;
  /** how many of the writers choose their versions themselves; they are the first ones (default 0) */
  readonly externalVersionWriters?: number;
  /** ids made by writer 2 begin with `<idPrefix>2-` (default `w`) */
  readonly idPrefix?: string;
  /** default: they stay plain */
  readonly spellId?: SpellId;
  readonly giveUpAfterMs?: number;
  /**
   * Whether OpenSearch may carry an operation out once more after it has acknowledged it: a node that is paused holds
   * what other nodes have sent it for a shard; they repeat it elsewhere, and when that node goes on it does so as well.
   * Such an id is not written again, and nothing is said about its version. Default: never.
   */
  readonly mayRepeat?: (sentAtMillis: number, acknowledgedAtMillis: number) => boolean;
  readonly onAcknowledged?: (acknowledged: AcknowledgedOperation) => void;
  /** an abort gives up what is outstanding; `stop()` must be called all the same */
  readonly signal?: AbortSignal;
}

export interface Writers {
  readonly model: WriterModel;
  /** Resolves when nothing is outstanding any more; nothing is sent until `resume()`. */
  pause(): Promise<void>;
  resume(): void;
  /** Resolves when all that was sent is acknowledged or given up. @throws what broke a writer, if anything did */
  stop(): Promise<void>;
  stats(): WriterStats;
}

const largestBatch = 8;
/** a writer that fell behind (it was blocked) catches up this much at most, rather than in one burst */
const catchUpMs = 500;

/**
 * Starts writers that use an index as an application would: small bulk requests and single ones, through the
 * alias, with retries. Each has its own ids and waits for its answers, so the order of writes to one id is known.
 */
export function startWriters(options: WritersOptions): Writers {
  const count = options.writers ?? 4;
  const http = createHttpClient(options.urls, options.isAway);
  const model = new WriterModel();
  const tally = new WriterTally();
  const gate = createGate(count);
  const abort = new AbortController();
  const signal =
    options.signal === undefined ? abort.signal : AbortSignal.any([options.signal, abort.signal]);
  const context: Omit<BatchContext, 'retire'> = {
    http,
    alias: options.alias,
    model,
    shards: createShardLookup(http),
    tally,
    giveUpAfterMs: options.giveUpAfterMs ?? 120_000,
    signal,
    mayRepeat: options.mayRepeat ?? (() => false),
    onAcknowledged: options.onAcknowledged,
  };
  const batchIntervalMs = options.rate === undefined ? 0 : (1000 * count) / options.rate;
  const loops = Promise.all(
    Array.from({ length: count }, async (_, writer) => {
      try {
        await runWriter(writer, options, context, gate, batchIntervalMs);
      } catch (error) {
        // the others stop as well: a broken writer must not look like a quiet one
        tally.addError(`writer ${writer} broke: ${error instanceof Error ? error.message : String(error)}`);
        gate.stop();
        throw error;
      } finally {
        gate.leave();
      }
    }),
  );
  loops.catch(() => undefined);
  return {
    model,
    pause: () => gate.close(),
    resume: () => gate.open(),
    stop: async () => {
      gate.stop();
      try {
        await loops;
      } finally {
        http.close();
      }
    },
    stats: () => tally.stats(),
  };
}

async function runWriter(
  writer: number,
  options: WritersOptions,
  context: Omit<BatchContext, 'retire'>,
  gate: Gate,
  intervalMs: number,
): Promise<void> {
  const random = createRandom((options.seed ?? 1) * 1_000_003 + writer);
  const keys = new KeyRange(random, createKeyOptions(writer, options));
  const batchContext: BatchContext = { ...context, retire: (id) => keys.retire(id) };
  let dueAt = performance.now();
  while (await gate.pass(context.signal)) {
    const operations = keys.planBatch(1 + random.below(largestBatch));
    await writeBatch(operations, batchContext);
    if (intervalMs === 0) continue;
    dueAt = Math.max(dueAt, performance.now() - catchUpMs) + operations.length * intervalMs;
    await sleep(Math.max(0, dueAt - performance.now()), undefined, { signal: gate.stopping }).catch(
      () => undefined,
    );
  }
}

function createKeyOptions(
  writer: number,
  options: WritersOptions,
): ConstructorParameters<typeof KeyRange>[1] {
  const count = options.writers ?? 4;
  const plain = Math.max(0, count - (options.routedWriters ?? 1));
  const adopters = plain === 0 ? count : plain;
  return {
    prefix: `${options.idPrefix ?? 'w'}${writer}-`,
    adopt: writer < adopters ? (options.adopt ?? []).filter((_, at) => at % adopters === writer) : [],
    mix: { ...defaultMix, ...options.mix },
    routed: writer >= plain,
    externalVersions: writer < (options.externalVersionWriters ?? 0),
    spellId: options.spellId ?? ((plain) => plain),
    makeDocument: options.makeDocument ?? defaultMakeDocument,
    makePartial: options.makePartial ?? defaultMakePartial,
  };
}
