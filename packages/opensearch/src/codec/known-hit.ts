import { type HitBounds, readInteger } from './hit-scanner';
import { Byte, matches, skipDigits, skipString } from './json-cursor';
import { endOfSource } from './source-bounds';

const version = Buffer.from(',"_version":');
const seqNo = Buffer.from(',"_seq_no":');
const primaryTerm = Buffer.from(',"_primary_term":');
const score = Buffer.from(',"_score":null');
const routing = Buffer.from(',"_routing":');
const source = Buffer.from(',"_source":');
const sort = Buffer.from(',"sort":[');

/**
 * Scans a hit with the same layout as the previous one, which nearly all hits of an answer have. Takes half the time of
 * {@link scanHit}, because it searches for no key.
 * @param head first byte of an earlier hit of the answer
 * @param headLength bytes from there to that hit's id
 * @returns the offset behind the hit; -1 when it looks different: `hit` is then worthless
 */
export function scanKnownHit(
  bytes: Buffer,
  from: number,
  hit: HitBounds,
  head: number,
  headLength: number,
): number {
  for (let i = 0; i < headLength; i += 1) if (bytes[from + i] !== bytes[head + i]) return -1;
  hit.idStart = from + headLength;
  if (bytes[hit.idStart] !== Byte.quote) return -1;
  hit.idEnd = skipString(bytes, hit.idStart);
  let at = hit.idEnd;
  if (matches(bytes, at, version)) {
    hit.versionStart = at + version.length;
    at = hit.versionEnd = skipDigits(bytes, hit.versionStart);
    if (hit.versionEnd === hit.versionStart) return -1;
  }
  if (matches(bytes, at, seqNo)) {
    const term = skipDigits(bytes, at + seqNo.length) + primaryTerm.length;
    if (!matches(bytes, term - primaryTerm.length, primaryTerm)) return -1;
    const end = skipDigits(bytes, term);
    if (end === term) return -1;
    hit.seqNo = readInteger(bytes, at + seqNo.length, '_seq_no');
    hit.primaryTerm = readInteger(bytes, term, '_primary_term');
    at = end;
  }
  if (matches(bytes, at, score)) at += score.length;
  if (matches(bytes, at, routing)) {
    hit.routingStart = at + routing.length;
    if (bytes[hit.routingStart] !== Byte.quote) return -1;
    at = hit.routingEnd = skipString(bytes, hit.routingStart);
  }
  if (matches(bytes, at, source)) {
    hit.sourceStart = at + source.length;
    at = hit.sourceEnd = endOfSource(bytes, hit.sourceStart);
  }
  if (!matches(bytes, at, sort)) return -1;
  hit.sortStart = at + sort.length - 1;
  const number = hit.sortStart + 1;
  at = skipDigits(bytes, number);
  if (at === number || bytes[at] !== Byte.closeBracket || bytes[at + 1] !== Byte.closeBrace) return -1;
  hit.sortEnd = at + 1;
  return at + 2;
}
