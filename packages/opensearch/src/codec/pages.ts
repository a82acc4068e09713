import { isUtf8 } from 'node:buffer';
import {
  ClusterError,
  type DocumentHead,
  type DocumentKey,
  type DocumentPage,
  type Page,
  type WholeDocument,
} from '@aosc/engine';
import type { HitBounds } from './hit-scanner';
import { PageBytes, PageDocument, readDigits, WholePageDocument } from './page-document';
import { scanSearchAnswer } from './search-answer';

/** A page of documents, which point into `bytes`. */
export function readDocumentPage(bytes: Buffer): DocumentPage {
  return readSources(bytes, (page, hit) => new PageDocument(page, hit));
}

/** The same with the operations that have written them. */
export function readWholePage(bytes: Buffer): DocumentPage<WholeDocument> {
  return readSources(bytes, (page, hit) => {
    expectOperation(hit);
    return new WholePageDocument(page, hit);
  });
}

function readSources<D>(bytes: Buffer, read: (page: PageBytes, hit: HitBounds) => D): DocumentPage<D> {
  const page = new PageBytes(bytes);
  const documents = readPage(bytes, (hit) => {
    expectVersion(hit);
    if (hit.sourceStart === -1) throw withoutSource(bytes, hit);
    return read(page, hit);
  });
  return { ...documents, release: () => page.release() };
}

/** A page of heads. */
export function readHeadPage(bytes: Buffer): Page<DocumentHead> {
  return readPage(bytes, (hit) => readHead(bytes, hit));
}

/** A page of keys, if U+FFFD may be in one of them, spelt as it is, escaped, or for bytes that are no UTF-8; else `undefined` for each. */
export function readKeyPage(bytes: Buffer): Page<DocumentKey | undefined> {
  const areWhole = isUtf8(bytes) && !bytes.includes('\ufffd') && !bytes.includes('\\u', 0, 'latin1');
  return readPage(bytes, (hit) => (areWhole ? undefined : readKey(bytes, hit)));
}

function readKey(bytes: Buffer, hit: HitBounds): DocumentKey {
  return {
    id: readString(bytes, hit.idStart, hit.idEnd),
    routing: hit.routingStart === -1 ? undefined : readString(bytes, hit.routingStart, hit.routingEnd),
  };
}

function readHead(bytes: Buffer, hit: HitBounds): DocumentHead {
  expectVersion(hit);
  expectOperation(hit);
  return {
    ...readKey(bytes, hit),
    version: readDigits(bytes, hit.versionStart, hit.versionEnd),
    seqNo: hit.seqNo,
    primaryTerm: hit.primaryTerm,
  };
}

function expectVersion({ versionStart }: HitBounds): void {
  if (versionStart === -1) throw new ClusterError('invalid', 'a hit without _version');
}

function expectOperation({ seqNo, primaryTerm }: HitBounds): void {
  if (seqNo !== -1 && primaryTerm !== -1) return;
  throw new ClusterError('invalid', 'a hit without _seq_no or _primary_term');
}

function withoutSource(bytes: Buffer, hit: HitBounds): ClusterError {
  const idToken = bytes.toString('utf8', hit.idStart, hit.idEnd);
  return new ClusterError('invalid', `document ${idToken} has no _source: it can't be copied`);
}

function readPage<D>(bytes: Buffer, read: (hit: HitBounds) => D): Page<D> {
  const documents: D[] = [];
  let sortStart = -1;
  let sortEnd = -1;
  scanSearchAnswer(bytes, (hit) => {
    if (hit.sortStart === -1) throw new ClusterError('invalid', 'a hit without sort');
    documents.push(read(hit));
    sortStart = hit.sortStart;
    sortEnd = hit.sortEnd;
  });
  const next = documents.length === 0 ? undefined : bytes.toString('utf8', sortStart, sortEnd);
  return { documents, bytes: bytes.length, next };
}

/** Decodes a JSON string token of the wire. */
export function readString(bytes: Buffer, start: number, end: number): string {
  const text: unknown = JSON.parse(bytes.toString('utf8', start, end));
  if (typeof text !== 'string') throw new ClusterError('transient', 'expected a string token');
  return text;
}
