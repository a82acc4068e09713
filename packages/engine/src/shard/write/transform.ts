import { documentKeyString, transformPipelineName } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey, RawDocument, TransformedDocument } from '../../ports/documents';
import { describeId, keyOf } from './document-names';
import { requireElement } from '../../require-element';
import { ShardFailedError } from '../errors';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { checkTransformed } from '../read/check-keys';
import { byHalves } from '../read/chunks';
import { firstBatch } from './split-batch';
import { readKeys } from '../read/pages';

/** A node parses a whole transform request into its memory, so the requests are small. */
const maxDocuments = 500;
const maxBytes = 4 * 1024 * 1024;

/** Where a document of the source is in the target. */
export interface TargetPlace extends DocumentKey {
  /** Set where a transform rewrites ids: a document of another version in this place is another document, and stays. */
  readonly version?: string;
}

/**
 * Documents as they are to be written. Only a transform that may rewrite ids or routings is applied here: the job has
 * to know where each document goes, and where it went before it changed or vanished. Any other transform runs inside
 * the bulks.
 * @throws ShardFailedError when the transform fails for a document, or gives it a key that can't be followed
 */
export async function applyTransform(
  session: ShardSession,
  documents: readonly RawDocument[],
): Promise<readonly RawDocument[]> {
  if (!rewritesIdentity(session)) return documents;
  return transformAll(session, documents);
}

export function rewritesIdentity({ context }: ShardSession): boolean {
  return context.migration.transform?.rewritesIdentity === true;
}

/**
 * Where documents that are gone from the source are in the target.
 * @param snapshot an older snapshot, which still has the documents
 */
export async function targetPlacesOf(
  session: ShardSession,
  snapshot: Snapshot,
  keys: readonly DocumentKey[],
): Promise<readonly TargetPlace[]> {
  if (!rewritesIdentity(session)) return keys;
  const places: TargetPlace[] = [];
  for (const document of await readAndTransform(session, snapshot, keys)) places.push(placeOf(document));
  if (places.length !== keys.length) {
    throw new ShardFailedError(
      `the snapshot of source shard [${session.context.shard}] holds ${places.length} of ${keys.length} documents ` +
        'that were found deleted. Nothing was swapped; please report this',
    );
  }
  return places;
}

/**
 * The places that changed documents leave: where the old snapshot's state of them went, if the new snapshot's state
 * goes elsewhere.
 * @param changed documents of the new snapshot
 */
export async function findLeftPlaces(
  session: ShardSession,
  old: Snapshot,
  changed: readonly RawDocument[],
): Promise<readonly TargetPlace[]> {
  const goesTo = new Map<string, string>();
  for (const document of await transformAll(session, changed)) {
    goesTo.set(documentKeyString(keyOf(document.origin)), documentKeyString(keyOf(document)));
  }
  const left: TargetPlace[] = [];
  for (const before of await readAndTransform(session, old, changed.map(keyOf))) {
    const place = placeOf(before);
    if (goesTo.get(documentKeyString(keyOf(before.origin))) !== documentKeyString(place)) left.push(place);
  }
  return left;
}

function placeOf(document: TransformedDocument): TargetPlace {
  return { ...keyOf(document), version: document.version };
}

/** The documents of these keys that the snapshot has, transformed. */
async function readAndTransform(
  session: ShardSession,
  snapshot: Snapshot,
  keys: readonly DocumentKey[],
): Promise<readonly TransformedDocument[]> {
  const found: TransformedDocument[] = [];
  for await (const { documents } of readKeys(session, snapshot, keys)) {
    // Copied before the page's memory is used again.
    const kept = documents.map(({ idToken, routingToken, version, source, size }) => {
      return { idToken, routingToken, version, source: Uint8Array.from(source), size };
    });
    found.push(...(await transformAll(session, kept)));
  }
  return found;
}

async function transformAll(
  session: ShardSession,
  documents: readonly RawDocument[],
): Promise<readonly TransformedDocument[]> {
  const transformed: TransformedDocument[] = [];
  for (const chunk of inTransformRequests(documents))
    transformed.push(...(await transformChunk(session, chunk)));
  return transformed;
}

/** Documents in parts that one request can transform. */
export function* inTransformRequests<D extends RawDocument>(
  documents: readonly D[],
): Generator<readonly D[]> {
  for (let left = documents; left.length > 0;) {
    const chunk = firstBatch(left, ({ size }) => size, { maxDocs: maxDocuments, maxBytes });
    yield chunk;
    left = left.slice(chunk.length);
  }
}

async function transformChunk(
  session: ShardSession,
  documents: readonly RawDocument[],
): Promise<readonly TransformedDocument[]> {
  const { target, migration, shard } = session.context;
  const pipeline = transformPipelineName(migration.key);
  const results = await byHalves(
    documents,
    (part) =>
      retryingReads(session, (call) =>
        target.cluster.transforms.transformDocuments(
          { pipeline, index: target.index, shard, documents: part },
          call,
        ),
      ),
    (document, cause) =>
      new ShardFailedError(
        `Transform script execution failed: document ${describeId(document)}: ${cause.message}`,
        { cause },
      ),
  );
  const failed = results.flatMap((result, at) => ('failure' in result ? [{ ...result.failure, at }] : []));
  const first = failed[0];
  if (first !== undefined) {
    throw new ShardFailedError(
      `Transform script execution failed for ${failed.length} of ${results.length} documents; first: document ` +
        `${describeId(requireElement(documents, first.at))}: ${first.type}: ${first.reason}`,
    );
  }
  const transformed = results.flatMap((result) => ('document' in result ? [result.document] : []));
  await checkTransformed(session, transformed);
  return transformed;
}
