import { setTimeout as sleep } from 'node:timers/promises';
import {
  AoscError,
  isObject,
  type MigrationRecord,
  ownValue,
  type PlanAnswer,
  type Settings,
} from '@aosc/contract';
import { isClusterError, type RawDocument } from '@aosc/engine';
import { selectRoutingMode, setsAside } from '@aosc/domain';
import type { ApiDependencies } from '../../dependencies';
import type { Hold } from '../../limits/admission';
import { replicasOf } from '../../target/limited-values';
import type { Caller } from '../caller';
import type { Checks, StartContext } from '../checks';
import { compareDocuments } from './compare-documents';
import { copyAwhile, type CopyingWay } from './copy-awhile';
import { estimate } from './estimates';
import { fromSeqNo, readSpread } from './read-spread';
import { runScript } from './run-script';
import type { Seen } from './seen';
import { groupRefusals, type Refused, tryDocuments } from './try-documents';

export interface Looked extends Pick<StartContext, 'options' | 'source' | 'call'> {
  readonly seen: Seen;
  readonly settings: Settings;
  /** what the checks of the start have made of the script; undefined: there is none, or it is refused */
  readonly transform: MigrationRecord['transform'];
  /** how many documents, and for how long to read */
  readonly trial: { readonly documents: number; readonly seconds: number };
  readonly caller: Pick<Caller, 'isLimited'>;
  readonly hold: Hold;
  /** fires when the caller no longer waits for the answer */
  readonly gone: AbortSignal;
}

export type Tried = Pick<PlanAnswer, 'documents' | 'estimates'>;

const maxParallel = 32;

/**
 * Reads a spread of documents, runs the script on them, and writes them into a scratch index with the definition of the
 * target. Estimates come from what that took.
 * @returns undefined: there is nothing to try, or the cluster did not let it
 */
export async function lookAtDocuments(
  deps: ApiDependencies,
  looked: Looked,
  checks: Checks,
): Promise<Tried | undefined> {
  const tried = await orWarn(
    { ...deps, ...looked, checks },
    'documents could not be read',
    tryOn(deps, looked, checks),
  );
  if (tried !== undefined) await checks.warn('documents.read', () => []);
  return tried;
}

/**
 * What the cluster does not let a plan try is left out, with a warning. OpenSearch's text may have figures of the whole
 * cluster, which no limited caller gets.
 */
async function orWarn<T>(
  {
    logger,
    caller,
    checks,
  }: Pick<ApiDependencies, 'logger'> & Pick<Looked, 'caller'> & { readonly checks: Checks },
  what: string,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isClusterError(error)) throw error;
    logger.warn(`a plan went on without a look: ${what}`, { error });
    const reason = caller.isLimited ? (error.details.type ?? error.kind) : error.message;
    await checks.warn('documents.read', () => [`${what}: ${reason}`]);
    return undefined;
  }
}

async function tryOn(deps: ApiDependencies, looked: Looked, checks: Checks): Promise<Tried | undefined> {
  const { source, options, seen, settings, transform, trial, call } = looked;
  const { state } = deps.cluster.index(source.index);
  const began = performance.now();
  const count = await state.count(undefined, call);
  const countMs = performance.now() - began;
  if (count === 0 || trial.documents === 0) return undefined;
  const numbers = async () => (await state.readCheckpoints(call)).map(({ maxSeqNo }) => maxSeqNo);
  const before = await numbers();
  const maxSeqNo = Math.max(0, ...before);
  const storeBytes = [...seen.allocation.primaryBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const reading = performance.now();
  const spread = await readSpread(
    deps,
    {
      ...trial,
      index: source.index,
      fields: Object.keys(propertiesOf(seen.source?.mappings)),
      meanBytes: storeBytes / count,
      maxSeqNo,
      random: Math.random,
      nowMs: () => performance.now(),
    },
    call,
  );
  const { documents, meanBytes } = spread;
  const writes = sumOf(await numbers()) - sumOf(before);
  const writesPerSecond = (writes / (performance.now() - reading)) * 1_000;
  const way = wayOf(looked, settings, { maxSeqNo, meanBytes });
  const script = transform && (await tryScript(deps, looked, transform, { checks, documents }));
  const done =
    seen.target && script?.written.length !== 0
      ? await orWarn(
          { ...deps, ...looked, checks },
          'documents could not be written into a scratch index',
          tryDocuments(deps, seen.target, script?.written ?? documents, {
            nowMs: () => performance.now(),
            copyMs: trial.seconds * 1_000,
            copy: (write) => copyAwhile({ ...endsOf(deps, looked), write, rest: sleep }, way),
          }),
        )
      : undefined;
  if (done !== undefined) {
    const texts = describe('the target refuses', done.refused);
    if (setsAside({ options })) await checks.warn('documents.fit', () => texts);
    else refuse(checks, 'documents.fit', texts);
  }
  await checks.warn('documents.routing', () => findRouted(looked, documents));
  const estimates = estimate({
    count,
    countMs,
    storeBytes,
    copies: 1 + replicasOf((seen.target ?? source).settings),
    meanBytes,
    written: done,
    parallel: way.parallel,
    writesPerSecond,
    threshold: options.convergenceThresholdPerShard * source.shardCount,
  });
  await checks.warn('cutover.pause', () => {
    const { maxPauseMs } = options;
    const pause = estimates.pause_ms?.value;
    if (maxPauseMs === undefined || pause === undefined) return undefined;
    return pause <= maxPauseMs
      ? []
      : [`max_pause_ms is ${maxPauseMs}, and the pause may last about ${pause} ms`];
  });
  return {
    documents: {
      looked_at: documents.length,
      ...(done !== undefined && { refused: done.refused.map(toWire) }),
      ...(script?.effect !== undefined && { script: script.effect }),
    },
    estimates,
  };
}

/** Runs the script on documents. @returns what it has made of them, and the effect for the answer, if it has run */
async function tryScript(
  deps: ApiDependencies,
  looked: Looked,
  text: NonNullable<Looked['transform']>,
  { checks, documents }: { readonly checks: Checks; readonly documents: readonly RawDocument[] },
) {
  const { seen, source } = looked;
  const target =
    seen.target === undefined ? source.index : String(ownValue(seen.target.settings, 'index.provided_name'));
  const results = await runScript(deps, { ...looked, text, target, documents }, checks);
  if (results.length === 0) return { written: [] };
  const { collisions, fields, ...counts } = compareDocuments(documents, results);
  const failed = groupRefusals(
    results.flatMap((result, at) =>
      'failure' in result ? [{ ...result.failure, id: idOf(documents[at]) }] : [],
    ),
  );
  refuse(checks, 'documents.script', describe('the script fails on', failed));
  const written = results.flatMap((result) => ('document' in result ? [result.document] : []));
  const problem = `the script gives one id to several documents: ${collisions.join(', ')}`;
  if (written.length > 0) {
    checks.refuse(
      'documents.ids',
      collisions.length > 0 ? [new AoscError('precondition_failed', problem)] : [],
    );
  }
  return {
    written,
    effect: {
      ...counts,
      collisions: [...collisions],
      fields: [...fields],
      failed: failed.map(toWire),
    },
  };
}

function describe(what: string, groups: readonly Refused[]): readonly string[] {
  return groups.map(
    ({ reason, count, ids }) =>
      `${what} ${count} of the documents that were tried (${ids.join(', ')}): ${reason}`,
  );
}

function refuse(checks: Checks, id: 'documents.script' | 'documents.fit', texts: readonly string[]): void {
  checks.refuse(
    id,
    texts.map((text) => new AoscError('precondition_failed', text)),
  );
}

const toWire = ({ reason, count, ids }: Refused) => ({ reason, count, ids: [...ids] });
const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);
const idOf = (document: RawDocument | undefined): string => String(JSON.parse(document?.idToken ?? '""'));

function propertiesOf(mappings: Readonly<Record<string, unknown>> | undefined): object {
  const properties = ownValue(mappings ?? {}, 'properties');
  return isObject(properties) ? properties : {};
}

function findRouted(
  { source, seen }: Looked,
  documents: readonly RawDocument[],
): readonly string[] | undefined {
  const shards = Number(ownValue(seen.target?.settings ?? {}, 'index.number_of_shards') ?? source.shardCount);
  if (selectRoutingMode(source.shardCount, shards) !== 'BULK_API') return undefined;
  const routed = documents.filter(({ routingToken }) => routingToken !== undefined).length;
  return routed === 0 ? [] : [`${routed} of ${documents.length} documents have a routing of their own`];
}

const endsOf = ({ pickDocuments }: ApiDependencies, { source, call }: Looked) => ({
  readFrom: (seqNo: number, size: number) => pickDocuments(source.index, { ...fromSeqNo(seqNo), size }, call),
  random: Math.random,
  nowMs: () => performance.now(),
});

/** A bulk and the page for the next one are held at the same time. */
const heldBytes = 16 * 1024 * 1024;

/** What a copy would do by the settings as they are. */
function wayOf(
  { source, seen, trial }: Looked,
  { backfill: { maxConcurrentPerNode, controllerType, controller } }: Settings,
  { maxSeqNo, meanBytes }: { readonly maxSeqNo: number; readonly meanBytes: number },
): CopyingWay {
  const { batch, concurrency } = controller;
  const shards = Math.max(
    1,
    Math.min(source.shardCount, (seen.allocation.nodes?.size ?? 1) * maxConcurrentPerNode),
  );
  const parallel = Math.min(maxParallel, shards * concurrency.initial);
  const most = Math.floor(heldBytes / parallel / Math.max(1, meanBytes));
  const documents = Math.min(controllerType === 'fixed' ? batch.size : batch.maxDocs, most);
  return { seconds: trial.seconds, parallel, documents: Math.max(1, documents), maxSeqNo };
}
