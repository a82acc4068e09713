import { ClusterError, type RawDocument, type TransformResult } from '@aosc/engine';
import { HitBounds, scanHit } from './hit-scanner';
import { eachInAnswer, eachMember, malformed, skipValue } from './json-cursor';
import { describeItemError, parseItemError } from './item-error';

/**
 * Scans the answer of `_simulate`, which has a result for each document in the order of the request. Not with
 * JSON.parse, because numbers of a source can exceed 2^53.
 * @param origins the documents of the request
 */
export function readTransformAnswer(
  bytes: Buffer,
  origins: readonly RawDocument[],
): readonly TransformResult[] {
  const results: TransformResult[] = [];
  eachInAnswer(bytes, 'docs', (element) => {
    const origin = origins[results.length];
    if (origin === undefined) throw malformed('more documents than were sent', element);
    let result: TransformResult | undefined;
    const elementEnd = eachMember(bytes, element, (start, stop, inner) => {
      const name = bytes.toString('latin1', start, stop);
      if (name === 'doc') {
        const read = readDocument(bytes, inner, origin);
        result = read.result;
        return read.end;
      }
      const innerEnd = skipValue(bytes, inner);
      if (name === 'error') {
        result = { failure: readFailure(bytes.toString('utf8', inner, innerEnd)) };
      }
      return innerEnd;
    });
    if (result === undefined) throw malformed('neither a document nor an error', element);
    results.push(result);
    return elementEnd;
  });
  if (results.length !== origins.length) {
    throw new ClusterError('transient', `_simulate: ${results.length} documents for ${origins.length}`);
  }
  return results;
}

function readDocument(
  bytes: Buffer,
  from: number,
  origin: RawDocument,
): { readonly result: TransformResult; readonly end: number } {
  const hit = new HitBounds();
  const end = scanHit(bytes, from, hit);
  if (hit.idStart === -1 || hit.sourceStart === -1)
    throw malformed('a document without _id or _source', from);
  const source = bytes.subarray(hit.sourceStart, hit.sourceEnd);
  const size = source.length + hit.idEnd - hit.idStart + hit.routingEnd - hit.routingStart;
  const document = {
    idToken: bytes.toString('utf8', hit.idStart, hit.idEnd),
    routingToken:
      hit.routingStart === -1 ? undefined : bytes.toString('utf8', hit.routingStart, hit.routingEnd),
    version: origin.version,
    source,
    size,
    origin,
  };
  return { result: { document }, end };
}

function readFailure(text: string): { readonly type: string; readonly reason: string } {
  const error = parseItemError(JSON.parse(text));
  return { type: error.type, reason: describeItemError(error) };
}
