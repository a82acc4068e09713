import { ClusterError, type DocumentHead, type Page, type RawDocument } from '@aosc/engine';
import { Byte } from './json-cursor';
import type { HitBounds } from './hit-scanner';
import { scanSearchAnswer } from './search-answer';

/** A page of documents; `source` points into `bytes`, which stays in memory as long as one of them does. */
export function readDocumentPage(bytes: Buffer): Page<RawDocument> {
  return readPage(bytes, (hit) => {
    const idToken = bytes.toString('utf8', hit.idStart, hit.idEnd);
    if (hit.sourceStart === -1) {
      throw new ClusterError('invalid', `document ${idToken} has no _source: it can't be copied`);
    }
    return {
      idToken,
      routingToken:
        hit.routingStart === -1 ? undefined : bytes.toString('utf8', hit.routingStart, hit.routingEnd),
      version: readDigits(bytes, hit.versionStart, hit.versionEnd),
      seqNo: hit.seqNo,
      source: bytes.subarray(hit.sourceStart, hit.sourceEnd),
    };
  });
}

/** A page of heads. */
export function readHeadPage(bytes: Buffer): Page<DocumentHead> {
  return readPage(bytes, (hit) => ({
    id: readString(bytes, hit.idStart, hit.idEnd),
    routing: hit.routingStart === -1 ? undefined : readString(bytes, hit.routingStart, hit.routingEnd),
    version: readDigits(bytes, hit.versionStart, hit.versionEnd),
    seqNo: hit.seqNo,
  }));
}

function readPage<D>(bytes: Buffer, read: (hit: HitBounds) => D): Page<D> {
  const documents: D[] = [];
  let sortStart = -1;
  let sortEnd = -1;
  const { tookMs } = scanSearchAnswer(bytes, (hit) => {
    if (hit.versionStart === -1 || hit.seqNo === -1 || hit.sortStart === -1) {
      throw new ClusterError('invalid', 'a hit without _version, _seq_no or sort');
    }
    documents.push(read(hit));
    sortStart = hit.sortStart;
    sortEnd = hit.sortEnd;
  });
  const next = documents.length === 0 ? undefined : bytes.toString('utf8', sortStart, sortEnd);
  return { documents, bytes: bytes.length, tookMs, next };
}

/** Decodes a JSON string token of the wire. */
export function readString(bytes: Buffer, start: number, end: number): string {
  const text: unknown = JSON.parse(bytes.toString('utf8', start, end));
  if (typeof text !== 'string') throw new ClusterError('transient', 'expected a string token');
  return text;
}

const oneDigit = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** Most versions have one digit: a constant is cheaper than a new string for each document. */
function readDigits(bytes: Buffer, start: number, end: number): string {
  const digit = end - start === 1 ? oneDigit[(bytes[start] ?? 0) - Byte.zero] : undefined;
  return digit ?? bytes.toString('latin1', start, end);
}
