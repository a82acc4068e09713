import type { MigrationRecord } from '@aosc/contract';
import { type Print, transformPipeline } from '@aosc/domain';
import { requireElement } from '../require-element';
import type { DocumentHead, DocumentKey, RawDocument, WholeDocument } from '../ports/documents';
import { byHalves } from '../shard/read/chunks';
import { retryingReads } from '../shard/session/retrying-reads';
import { describeId, keyOf } from '../shard/write/document-names';
import { inTransformRequests } from '../shard/write/transform';
import { VerificationFailedError } from './context';
import { meaningOf } from './meaning';
import { sortedMembers } from './members';
import type { VerifyReader } from './reader';

/** A document that the target has, or should have. */
export interface ComparedDocument extends DocumentHead {
  readonly content: string;
  readonly source: Uint8Array;
}

/** A document that the target should have. */
export interface ExpectedDocument extends ComparedDocument {
  /** the document of the source that it is made of, and whose number `seqNo` is */
  readonly origin: DocumentKey;
  readonly shard: number;
}

/** A document as the verification compares it: by its source's bytes, or by their meaning where a script made them. */
export function toCompared(
  { context }: VerifyReader,
  { seqNo, primaryTerm }: Pick<WholeDocument, 'seqNo' | 'primaryTerm'>,
  document: RawDocument,
): ComparedDocument {
  const { version, source } = document;
  const isTransformed = context.migration.transform !== undefined;
  const content = context.hashOf(isTransformed ? meaningOf(source) : source);
  return { ...keyOf(document), version, seqNo, primaryTerm, content, source };
}

/** @param isByMeaning false: as its source is spelt, apart from the order of members where a script wrote them */
export function printOf(
  { context }: VerifyReader,
  { idToken, routingToken = '', version, source }: RawDocument,
  isByMeaning: boolean,
): Print {
  const isTransformed = context.migration.transform !== undefined;
  const spelt = (): Uint8Array => (isTransformed ? sortedMembers(source) : source);
  const content = isByMeaning ? Buffer.from(meaningOf(source)) : spelt();
  return context.printMemory.digest(`${version} ${idToken}${routingToken} `, content);
}

/** Sources up to this size are kept, to name the fields that differ. */
const mostKept = 64 * 1024;
const noSource = new Uint8Array();

/** A copy of the document that does not hold the memory of the page in which it was read. */
export function detached<D extends { readonly source: Uint8Array }>(document: D): D {
  const { source } = document;
  return { ...document, source: source.length <= mostKept ? Uint8Array.from(source) : noSource };
}

/** What documents of the source should be in the target. */
export async function expectInTarget(
  reader: VerifyReader,
  shard: number,
  documents: readonly WholeDocument[],
): Promise<readonly ExpectedDocument[]> {
  const raw = await transformed(reader, shard, documents);
  return documents.map((origin, at) => ({
    ...toCompared(reader, origin, requireElement(raw, at)),
    origin: keyOf(origin),
    shard,
  }));
}

/** What the script, if there is one, makes of documents of the source, in their order. */
export async function transformed(
  reader: VerifyReader,
  shard: number,
  documents: readonly WholeDocument[],
): Promise<readonly RawDocument[]> {
  const { transform } = reader.context.migration;
  if (transform === undefined) return documents;
  const results: RawDocument[] = [];
  for (const part of inTransformRequests(documents)) {
    results.push(...(await simulate(reader, transform, shard, part)));
  }
  return results;
}

/** Runs the script of the record, not the migration's pipeline, which is gone when the migration has ended. */
async function simulate(
  reader: VerifyReader,
  transform: NonNullable<MigrationRecord['transform']>,
  shard: number,
  documents: readonly WholeDocument[],
): Promise<readonly RawDocument[]> {
  const { target } = reader.context;
  // `false` would make the form of the pipeline that runs inside bulks, and puts the version back.
  const pipeline = transformPipeline(transform, { rewritesIdentity: true });
  const results = await byHalves(
    documents,
    (part) =>
      retryingReads(reader.retrying, (call) =>
        target.cluster.transforms.transformDocuments(
          { pipeline, index: target.index, shard, documents: part },
          call,
        ),
      ),
    (document, { message }) => transformFails(document, message),
  );
  return results.map((result, at) => {
    const origin = requireElement(documents, at);
    const { idToken, routingToken } = origin;
    if ('document' in result) {
      return transform.rewritesIdentity ? result.document : { ...result.document, idToken, routingToken };
    }
    const { type, reason } = result.failure;
    throw transformFails(origin, `${type}: ${reason}`);
  });
}

const transformFails = (document: WholeDocument | undefined, reason: string) =>
  new VerificationFailedError(
    `the transform fails for document ${describeId(document)} of the source, so there is nothing to compare: ${reason}`,
  );
