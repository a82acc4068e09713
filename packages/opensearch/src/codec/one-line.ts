import { Byte, skipComment, skipString } from './json-cursor';

/**
 * A source on one line, as NDJSON needs it: line breaks between tokens become blanks, and so does a `//` comment with
 * its line break (on one line it would swallow the rest); all else stays byte for byte. The length stays. A raw line
 * break can't be inside a JSON string, so most documents come back unchanged, without a copy.
 */
export function toOneLine(source: Uint8Array): Uint8Array {
  if (source.indexOf(Byte.lineFeed) === -1 && source.indexOf(Byte.carriageReturn) === -1) return source;
  const line = Buffer.from(source);
  let at = 0;
  while (at < line.length) {
    const byte = line[at];
    if (byte === Byte.quote) {
      at = skipString(line, at);
    } else if (byte === Byte.slash) {
      const end = skipComment(line, at);
      if (line[at + 1] === Byte.slash) line.fill(Byte.space, at, end);
      else blankBreaks(line, at, end);
      at = end;
    } else {
      if (byte === Byte.lineFeed || byte === Byte.carriageReturn) line[at] = Byte.space;
      at += 1;
    }
  }
  return line;
}

function blankBreaks(line: Buffer, from: number, to: number): void {
  for (let at = from; at < to; at += 1) {
    if (line[at] === Byte.lineFeed || line[at] === Byte.carriageReturn) line[at] = Byte.space;
  }
}
