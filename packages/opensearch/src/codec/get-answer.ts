import type { TargetDocument } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { classifyInnerError } from '../client/classify';
import { HitBounds, scanHit } from './hit-scanner';
import { eachInAnswer, malformed, skipValue } from './json-cursor';
import { readString } from './pages';
import { refuseNul } from './source-bounds';

type Target<Found extends boolean> = Extract<TargetDocument, { readonly found: Found }>;

/**
 * One document of `_mget`, in the order of the request, with its routing as a search shows it. `source` is undefined
 * when the request excluded it.
 */
export type FetchedDocument = { readonly id: string } & (
  Target<false> | (Target<true> & { readonly source: Buffer | undefined })
);

/**
 * Scans the answer of `_mget`: not with JSON.parse, because `_version` can exceed 2^53.
 * @throws ClusterError of the first document that has an error: an error is never "not found"
 */
export function readGetAnswer(bytes: Buffer): readonly FetchedDocument[] {
  const documents: FetchedDocument[] = [];
  const hit = new HitBounds();
  refuseNul(bytes);
  eachInAnswer(bytes, 'docs', (element) => {
    hit.reset();
    let found: string | undefined;
    const hitEnd = scanHit(bytes, element, hit, (start, stop, inner) => {
      const innerEnd = skipValue(bytes, inner);
      const name = bytes.toString('latin1', start, stop);
      if (name === 'found') found = bytes.toString('latin1', inner, innerEnd);
      if (name === 'error') {
        throw classifyInnerError('_mget', JSON.parse(bytes.toString('utf8', inner, innerEnd)));
      }
      return innerEnd;
    });
    if (hit.idStart === -1) throw malformed('a document without _id', element);
    const id = readString(bytes, hit.idStart, hit.idEnd);
    if (found === 'false') documents.push({ found: false, id });
    else if (found !== 'true') throw malformed('neither found nor not found', element);
    else {
      if (hit.versionStart === -1 || hit.seqNo === -1 || hit.primaryTerm === -1) {
        throw new ClusterError('transient', '_mget: a document without _version, _seq_no or _primary_term');
      }
      documents.push({
        found: true,
        id,
        // Before a refresh OpenSearch returns a half of a surrogate pair as it came. Afterwards searches show U+FFFD.
        routing:
          hit.routingStart === -1
            ? undefined
            : readString(bytes, hit.routingStart, hit.routingEnd).toWellFormed(),
        version: bytes.toString('latin1', hit.versionStart, hit.versionEnd),
        seqNo: hit.seqNo,
        primaryTerm: hit.primaryTerm,
        source: hit.sourceStart === -1 ? undefined : bytes.subarray(hit.sourceStart, hit.sourceEnd),
      });
    }
    return hitEnd;
  });
  return documents;
}
