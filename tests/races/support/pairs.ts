import {
  createRandom,
  createSourceIndex,
  createTargetIndex,
  type IndexOptions,
  type LoadedDocument,
  loadDocuments,
  makeDocument,
  type SettingValue,
} from '@aosc/testkit';
import type { Cluster } from './cluster';
import { createHarness, type Harness, type HarnessOptions } from './harness';

export interface PairOptions {
  readonly shards: readonly [source: number, target: number];
  /** left out: an alias that no other pair has */
  readonly alias?: string;
  readonly documents?: Iterable<LoadedDocument>;
  readonly sourceSettings?: Readonly<Record<string, SettingValue>>;
  readonly targetSettings?: Readonly<Record<string, SettingValue>>;
  /** of both; left out: those of `makeDocument` */
  readonly mappings?: IndexOptions['mappings'];
  /** left out: those of the source */
  readonly targetMappings?: IndexOptions['mappings'];
  readonly targetReplicas?: number;
  readonly options?: HarnessOptions['options'];
  readonly transform?: HarnessOptions['transform'];
  /** no target is there: the migration makes it */
  readonly byFiles?: boolean;
  readonly timing?: HarnessOptions['timing'];
  readonly pacing?: HarnessOptions['pacing'];
  readonly lostNodeWaitMs?: number;
  readonly convergedRestMs?: number;
  readonly holds?: HarnessOptions['holds'];
  readonly printMemoryBytes?: number;
  readonly countWorkers?: () => Promise<number>;
}

/** Equal on both sides, as SPLIT_SHARD needs it. */
export const routingShards = 48;

const random = createRandom(7);

/** The JSON text of a document of this id; another one at each call. */
export function someSource(id: string): string {
  return makeDocument(random, { id, revision: random.below(1_000_000) }).replace(/[\r\n]/g, ' ');
}

/** `count` documents with ids `d0`, `d1`, … */
export function someDocuments(count: number, prefix = 'd'): LoadedDocument[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `${prefix}${n}`,
    source: someSource(`${prefix}${n}`),
  }));
}

/** A source with documents, an empty target, and a migration between them that no process has worked on. */
export async function createPair(cluster: Cluster, pair: PairOptions): Promise<Harness> {
  const { shards, documents = someDocuments(200), options, transform, timing, pacing, lostNodeWaitMs } = pair;
  const { targetMappings = pair.mappings, convergedRestMs, printMemoryBytes } = pair;
  const names = {
    source: cluster.name('source'),
    target: cluster.name('target'),
    alias: pair.alias ?? cluster.name('alias'),
  };
  await createSourceIndex(cluster.http, {
    name: names.source,
    alias: names.alias,
    shards: shards[0],
    routingShards,
    ...(pair.sourceSettings && { settings: pair.sourceSettings }),
    ...(pair.mappings && { mappings: pair.mappings }),
  });
  if (!pair.byFiles) {
    await createTargetIndex(cluster.http, {
      name: names.target,
      shards: shards[1],
      routingShards,
      ...(pair.targetReplicas && { replicas: pair.targetReplicas }),
      ...(pair.targetSettings && { settings: pair.targetSettings }),
      ...(targetMappings && { mappings: targetMappings }),
    });
  }
  await loadDocuments(cluster.http, names.alias, documents);
  return createHarness(cluster, {
    ...names,
    ...(options && { options }),
    ...(transform && { transform }),
    ...(pair.byFiles && { byFiles: { shards: shards[1] } }),
    ...(timing && { timing }),
    ...(pacing && { pacing }),
    ...(printMemoryBytes !== undefined && { printMemoryBytes }),
    ...(lostNodeWaitMs === undefined ? {} : { lostNodeWaitMs }),
    ...(convergedRestMs === undefined ? {} : { convergedRestMs }),
    ...(pair.holds && { holds: pair.holds }),
    ...(pair.countWorkers && { countWorkers: pair.countWorkers }),
  });
}
