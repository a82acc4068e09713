import { randomUUID } from 'node:crypto';
import {
  type BulkItem,
  type BulkOutcome,
  type Call,
  ClusterError,
  isClusterError,
  type ItemFailure,
  type RawDocument,
} from '@aosc/engine';
import { groupRefused, reasonWithoutValues, scratchPrefix } from '@aosc/domain';
import type { IndexDefinition } from '@aosc/opensearch';
import { timeLimit } from '@aosc/signals';
import type { ApiDependencies } from '../../dependencies';
import { planTarget } from '../../target/plan-target';
import type { Copied, Taken } from './copy-awhile';

/** Why documents were not taken, with some of their ids. */
export interface Refused {
  readonly reason: string;
  readonly count: number;
  readonly ids: readonly string[];
}

type Refusal = Pick<ItemFailure, 'id' | 'type' | 'reason'>;

export interface Trial {
  readonly refused: readonly Refused[];
  readonly written: number;
  /** of all bulks, one after the other */
  readonly ms: number;
  /** undefined: the target refuses documents */
  readonly copied: Copied | undefined;
  /** of the removal, which every node has acknowledged */
  readonly changeMs: number;
}

interface Means {
  readonly nowMs: () => number;
  /** how long `copy` takes */
  readonly copyMs: number;
  /** copies documents for a while, by what it is given to write a page */
  readonly copy: (write: (documents: readonly RawDocument[]) => Promise<Taken>) => Promise<Copied>;
}

/** Writes go through it, as those of a copy do. */
const aliasOf = (name: string): string => `${name}-writes`;

type Dependencies = Pick<
  ApiDependencies,
  'cluster' | 'createIndex' | 'newCall' | 'listScratch' | 'logger' | 'now'
>;

const bulkSize = 100;
const longestMs = 20_000;
const maxGroups = 20;
const maxIds = 10;
/** A plan lasts a minute or two: an index of this age belongs to a process that has died. */
const orphanAgeMs = 3_600_000;

/** Writes documents into an index with the definition of a target, by the copy's own kind of bulk, and removes the index. */
export async function tryDocuments(
  deps: Dependencies,
  target: IndexDefinition,
  documents: readonly RawDocument[],
  { nowMs, copy, copyMs }: Means,
): Promise<Trial> {
  await removeOrphans(deps);
  const name = `${scratchPrefix}${randomUUID()}`;
  const call = { ...deps.newCall(), signal: timeLimit(longestMs + copyMs) };
  let trial: Omit<Trial, 'changeMs' | 'copied'>;
  let copied: Copied | undefined;
  let changeMs: number;
  try {
    const aliases = { [aliasOf(name)]: { is_hidden: true } };
    await deps.createIndex(name, { ...definitionOf(target), aliases }, call);
    trial = await write(deps, name, documents, nowMs, call);
    if (trial.refused.length === 0) copied = await copy((page) => sendPage(deps, name, page, call));
  } catch (error) {
    if (!call.signal.aborted) throw error;
    const reason = `it took longer than ${(longestMs + copyMs) / 1_000} s; perhaps no node takes its shard`;
    throw new ClusterError('transient', reason, {}, { cause: error });
  } finally {
    const began = nowMs();
    await deps.cluster.index(name).files.remove(deps.newCall());
    changeMs = nowMs() - began;
  }
  return { ...trial, copied, changeMs };
}

async function write(
  deps: Dependencies,
  name: string,
  documents: readonly RawDocument[],
  nowMs: () => number,
  call: Call,
): Promise<Omit<Trial, 'changeMs' | 'copied'>> {
  const failures: ItemFailure[] = [];
  const began = nowMs();
  for (let at = 0; at < documents.length; at += bulkSize) {
    failures.push(...failuresOf(await bulk(deps, name, documents.slice(at, at + bulkSize), call)));
  }
  return {
    refused: groupRefusals(refusalsIn(failures)),
    written: documents.length - failures.length,
    ms: nowMs() - began,
  };
}

async function sendPage(
  deps: Dependencies,
  name: string,
  documents: readonly RawDocument[],
  call: Call,
): Promise<Taken> {
  const outcome = await bulk(deps, name, documents, call);
  if (outcome.type === 'refused' && outcome.kind === 'overload') return { documents: 0, isOverloaded: true };
  const failed = failuresOf(outcome).filter(({ kind }) => kind === 'overload' || kind === 'ambiguous');
  return {
    documents: documents.length - failed.length,
    isOverloaded: failed.some(({ kind }) => kind === 'overload'),
  };
}

const bulk = ({ cluster }: Dependencies, name: string, documents: readonly RawDocument[], call: Call) =>
  cluster.index(name).writes.bulk(
    aliasOf(name),
    documents.map((document): BulkItem => ({ kind: 'index', document })),
    call,
  );

/** @throws ClusterError transient when there is no answer for every document; forbidden */
function failuresOf(outcome: BulkOutcome): readonly ItemFailure[] {
  if (outcome.type === 'answered') {
    // That says nothing about the target, which takes documents by other rights.
    const barred = outcome.failures.find(({ type }) => type === 'security_exception');
    if (barred !== undefined) throw new ClusterError('forbidden', barred.reason);
    return outcome.failures;
  }
  throw new ClusterError('transient', `the trial of documents: ${outcome.reason}`);
}

/**
 * An overloaded node, or a document that was read twice while applications write it or move it to another routing, says nothing
 * about the target.
 */
export function refusalsIn(
  failures: readonly Pick<ItemFailure, 'kind' | keyof Refusal>[],
): readonly Refusal[] {
  return failures
    .filter(({ kind }) => kind === 'fatal')
    .map(({ id, type, reason }) => ({ id, type, reason: reasonWithoutValues(reason) }));
}

/** @returns the most frequent reasons first */
export function groupRefusals(refusals: readonly Refusal[]): readonly Refused[] {
  return groupRefused(refusals, maxIds)
    .slice(0, maxGroups)
    .map(({ type, reason, count, sampleIds }) => ({ reason: `${type}: ${reason}`, count, ids: sampleIds }));
}

/** The target's own, but for what places and counts its shards, and what acts on it. */
function definitionOf(target: IndexDefinition) {
  const placed = Object.keys(target.settings).filter((name) => name.startsWith('index.routing.'));
  const edits = {
    ...Object.fromEntries(placed.map((name) => [name, null])),
    'index.auto_expand_replicas': null,
    'index.auto_expand_search_replicas': null,
    'index.default_pipeline': null,
    'index.final_pipeline': null,
    'index.hidden': true,
    'index.number_of_replicas': 0,
    'index.number_of_search_replicas': null,
    'index.number_of_virtual_shards': null,
    'index.routing_partition_size': null,
  };
  const { definition } = planTarget(
    { ...target, shardCount: 1, routingShardCount: 1 },
    { shardCount: 1, settings: edits, mappings: {} },
  );
  return definition;
}

/** Removes what a plan has left whose process has died. */
export async function removeOrphans(deps: Omit<Dependencies, 'createIndex'>): Promise<void> {
  const { cluster, listScratch, newCall, logger, now } = deps;
  try {
    for (const { index, createdMillis } of await listScratch(scratchPrefix, newCall())) {
      if (now() - createdMillis > orphanAgeMs) await cluster.index(index).files.remove(newCall());
    }
  } catch (error) {
    if (!isClusterError(error)) throw error;
    logger.warn('scratch indices of plans could not be looked for', { error });
  }
}
