import { ClusterError } from '@aosc/engine';
import { Byte, eachMember, keyIs, malformed, skipContainer, skipDigits, skipValue } from './json-cursor';
import { endOfSource } from './source-bounds';

/** Bounds of one hit's fields inside the answer; -1: absent. All hits share one object. */
export class HitBounds {
  idStart = -1;
  idEnd = -1;
  routingStart = -1;
  routingEnd = -1;
  versionStart = -1;
  versionEnd = -1;
  sourceStart = -1;
  sourceEnd = -1;
  sortStart = -1;
  sortEnd = -1;
  seqNo = -1;
  primaryTerm = -1;

  /** Clears the bounds of the previous hit. */
  reset(): void {
    this.idStart =
      this.idEnd =
      this.routingStart =
      this.routingEnd =
      this.versionStart =
      this.versionEnd =
        -1;
    this.sourceStart = this.sourceEnd = this.sortStart = this.sortEnd = this.seqNo = this.primaryTerm = -1;
  }
}

const key = {
  id: Buffer.from('_id'),
  sort: Buffer.from('sort'),
  seqNo: Buffer.from('_seq_no'),
  source: Buffer.from('_source'),
  version: Buffer.from('_version'),
  routing: Buffer.from('_routing'),
  primaryTerm: Buffer.from('_primary_term'),
};

/**
 * Scans one hit (or one document of `_mget`, which has the same keys). Keys come in any order; this skips unknown ones
 * (`_ignored`, `fields`, `highlight`, …) as values, whatever they contain.
 * @param other gets every member this function doesn't know; returns the value's end
 * @returns the offset behind the hit
 */
export function scanHit(
  bytes: Buffer,
  from: number,
  hit: HitBounds,
  other: (keyStart: number, keyEnd: number, value: number) => number = (_start, _end, value) =>
    skipValue(bytes, value),
): number {
  return eachMember(bytes, from, (start, end, value) => {
    switch (end - start) {
      case 3:
        if (!keyIs(bytes, start, end, key.id)) break;
        hit.idStart = expectToken(bytes, value);
        return (hit.idEnd = skipValue(bytes, value));
      case 4:
        if (!keyIs(bytes, start, end, key.sort)) break;
        if (bytes[value] !== Byte.openBracket) throw malformed('expected sort values', value);
        hit.sortStart = value;
        return (hit.sortEnd = skipContainer(bytes, value));
      case 7:
        if (keyIs(bytes, start, end, key.source)) {
          // From the colon on: blanks in front of the value belong to the stored bytes.
          hit.sourceStart = behindColon(bytes, end, value);
          return (hit.sourceEnd = endOfSource(bytes, hit.sourceStart));
        }
        if (!keyIs(bytes, start, end, key.seqNo)) break;
        hit.seqNo = readInteger(bytes, value, '_seq_no');
        return skipValue(bytes, value);
      case 8:
        if (keyIs(bytes, start, end, key.version)) {
          hit.versionStart = value;
          return (hit.versionEnd = expectDigits(bytes, value));
        }
        if (!keyIs(bytes, start, end, key.routing)) break;
        hit.routingStart = expectToken(bytes, value);
        return (hit.routingEnd = skipValue(bytes, value));
      case 13:
        if (!keyIs(bytes, start, end, key.primaryTerm)) break;
        hit.primaryTerm = readInteger(bytes, value, '_primary_term');
        return skipValue(bytes, value);
    }
    return other(start, end, value);
  });
}

function behindColon(bytes: Buffer, keyEnd: number, value: number): number {
  let at = keyEnd + 1;
  while (at < value && bytes[at - 1] !== Byte.colon) at += 1;
  return at;
}

function expectToken(bytes: Buffer, value: number): number {
  if (bytes[value] !== Byte.quote) throw malformed('expected a string', value);
  return value;
}

function expectDigits(bytes: Buffer, from: number): number {
  const at = skipDigits(bytes, from);
  if (at === from) throw malformed('expected a number', from);
  return at;
}

/** @throws ClusterError 'transient' where no digit stands, 'invalid' for a number above 2^53 */
export function readInteger(bytes: Buffer, from: number, what: string): number {
  const end = expectDigits(bytes, from);
  let value = 0;
  for (let at = from; at < end; at += 1) value = value * 10 + ((bytes[at] ?? Byte.zero) - Byte.zero);
  if (!Number.isSafeInteger(value)) {
    throw new ClusterError('invalid', `${what} ${bytes.toString('latin1', from, end)} is over 2^53`);
  }
  return value;
}
