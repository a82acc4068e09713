import { documentKeyString, type Print, transformPipeline } from '@aosc/domain';
import type { DocumentKey, RawDocument, WholeDocument } from '../ports/documents';
import { retryingReads } from '../shard/session/retrying-reads';
import { keyOf } from '../shard/write/document-names';
import { inTransformRequests } from '../shard/write/transform';
import { VerificationFailedError } from './context';
import { meaningOf } from './meaning';
import type { VerifyReader } from './reader';

/** What the target should have, or has. */
export interface ComparedDocument extends DocumentKey {
  readonly version: string;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly content: string;
  readonly source: Uint8Array;
}

/** One that the target should have. */
export interface ExpectedDocument extends ComparedDocument {
  /** the document of the source that it is made of, which has the number */
  readonly origin: DocumentKey;
  readonly shard: number;
}

/** A document as it is compared: by the bytes of its source, and where a script has made them, by their meaning. */
export function toCompared({ context }: VerifyReader, document: WholeDocument): ComparedDocument {
  const { source } = document;
  const isTransformed = context.migration.transform !== undefined;
  return { ...document, content: context.hashOf(isTransformed ? meaningOf(source) : source) };
}

export function printOf({ context }: VerifyReader, document: ComparedDocument): Print {
  return context.printRoom.digest(`${document.version} ${document.content} ${documentKeyString(document)}`);
}

/** Sources up to this size are kept, to name the fields that differ. */
const mostKept = 64 * 1024;
const noSource = new Uint8Array();

/** The same without the page that it was read in, whose memory it would hold. */
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
  const { transform } = reader.context.migration;
  if (transform === undefined) {
    return documents.map((document) => {
      const { id, routing } = document;
      return { ...toCompared(reader, document), origin: { id, routing }, shard };
    });
  }
  const expected: ExpectedDocument[] = [];
  for (const part of inTransformRequests(documents.map(toRaw))) {
    expected.push(...(await simulate(reader, shard, part)));
  }
  return expected;
}

interface RawWhole extends RawDocument {
  readonly whole: WholeDocument;
}

function toRaw(whole: WholeDocument): RawWhole {
  const { id, routing, version, source } = whole;
  return {
    idToken: JSON.stringify(id),
    routingToken: routing === undefined ? undefined : JSON.stringify(routing),
    version,
    source,
    size: source.length + id.length + (routing?.length ?? 0),
    whole,
  };
}

/** By the script of the record: the migration's pipeline is gone when it has ended. */
async function simulate(
  reader: VerifyReader,
  shard: number,
  documents: readonly RawWhole[],
): Promise<readonly ExpectedDocument[]> {
  const { target, migration, hashOf } = reader.context;
  const { transform } = migration;
  if (transform === undefined) throw new Error('there is no transform');
  const results = await retryingReads(reader.retrying, (call) =>
    target.cluster.transforms.transformDocuments(
      // The form for bulks, which puts a version back, is for bulks alone.
      {
        pipeline: transformPipeline(transform, { rewritesIdentity: true }),
        index: target.index,
        shard,
        documents,
      },
      call,
    ),
  );
  return results.map((result, at) => {
    const whole = documents[at]?.whole;
    if (whole === undefined) throw new Error(`no document ${at} of ${documents.length}`);
    if ('failure' in result) {
      const { type, reason } = result.failure;
      throw new VerificationFailedError(
        `the transform fails for document [${whole.id}] of the source, so there is nothing to compare: ${type}: ${reason}`,
      );
    }
    const { document } = result;
    return {
      ...(transform.rewritesIdentity ? keyOf(document) : { id: whole.id, routing: whole.routing }),
      version: document.version,
      seqNo: whole.seqNo,
      primaryTerm: whole.primaryTerm,
      content: hashOf(meaningOf(document.source)),
      source: document.source,
      origin: { id: whole.id, routing: whole.routing },
      shard,
    };
  });
}
