import { ClusterError } from '@aosc/engine';
import { Byte, isSpace, malformed, skipComment, skipContainer } from './json-cursor';

/**
 * Finds where a `_source` ends. OpenSearch pastes the stored bytes into its answer as they came in, so the value may
 * begin with a byte order mark, and blanks, line breaks and comments may surround it. All of it belongs to the document
 * and is kept.
 * @param from the first byte behind the colon
 * @returns the offset of the ',' or '}' that follows
 * @throws ClusterError 'invalid' for a source whose end is not recognisable
 */
export function endOfSource(bytes: Buffer, from: number): number {
  let at = skipMark(bytes, from);
  while (isSpace(bytes[at])) at += 1;
  at = skipMark(bytes, at);
  if (bytes[at] !== Byte.openBrace) throw malformed('expected an object as _source', at);
  at = skipContainer(bytes, at);
  for (;;) {
    const byte = bytes[at];
    if (byte === Byte.comma || byte === Byte.closeBrace) return at;
    if (isSpace(byte)) at += 1;
    else if (byte === Byte.slash && bytes[at + 1] === Byte.star) at = skipComment(bytes, at);
    else if (byte === undefined || (byte === Byte.slash && at + 1 === bytes.length)) {
      throw malformed('nothing behind _source', at);
    } else if (byte === Byte.slash) throw unreadable('a "//" comment behind it');
    else throw unreadable(`byte 0x${byte.toString(16)} behind it`);
  }
}

/**
 * OpenSearch also accepts and stores JSON in UTF-16, and its bytes come unchanged inside the UTF-8 answer, where its
 * quotes and braces are not recognisable. Every such text has NULs, and no UTF-8 JSON has one.
 */
export function refuseNul(bytes: Buffer): void {
  if (bytes.indexOf(0) !== -1) throw unreadable('a NUL byte (stored as UTF-16?)');
}

function skipMark(bytes: Buffer, at: number): number {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? at + 3 : at;
}

function unreadable(why: string): ClusterError {
  return new ClusterError('invalid', `a stored _source can't be read through the search API: it has ${why}`);
}
