/**
 * Reads JSON without changing it: positions in the bytes, numbers as text. OpenSearch stores a `_source` as it
 * was sent and takes more than strict JSON there (a byte order mark, comments), so blanks here mean all of these.
 */
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const slash = 0x2f;
const star = 0x2a;
const lineFeed = 0x0a;

export class RawJsonError extends Error {
  override readonly name = 'RawJsonError';
  constructor(what: string, bytes: Buffer, position: number) {
    super(
      `${what} at byte ${position}: ${bytes.toString('utf8', Math.max(0, position - 60), position + 60)}`,
    );
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09;
}

/** Position behind white space, byte order marks and comments. */
export function skipBlanks(bytes: Buffer, from: number): number {
  let position = from;
  for (;;) {
    const byte = bytes[position];
    if (isBlank(byte)) position += 1;
    else if (byte === 0xef && bytes[position + 1] === 0xbb && bytes[position + 2] === 0xbf) position += 3;
    else if (byte === slash) position = endOfComment(bytes, position);
    else return position;
  }
}

/** @param from position of a slash @returns the position behind the comment that begins there */
export function endOfComment(bytes: Buffer, from: number): number {
  const end =
    bytes[from + 1] === star
      ? bytes.indexOf('*/', from + 2, 'latin1') + 2
      : bytes[from + 1] === slash
        ? bytes.indexOf(lineFeed, from + 2) + 1
        : 0;
  if (end <= from + 2) throw new RawJsonError('a comment without an end', bytes, from);
  return end;
}

/** @param from position of the opening quote @returns the position behind the closing one */
export function endOfString(bytes: Buffer, from: number): number {
  let position = from + 1;
  for (;;) {
    const end = bytes.indexOf(quote, position);
    if (end < 0) throw new RawJsonError('a string without an end', bytes, from);
    let before = end - 1;
    while (bytes[before] === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
    position = end + 1;
  }
}

/** @param from position of the value's first byte @returns the position behind the value */
export function endOfValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === quote) return endOfString(bytes, from);
  if (first !== openBrace && first !== openBracket) return endOfLiteral(bytes, from);
  let depth = 0;
  let position = from;
  while (position < bytes.length) {
    const byte = bytes[position];
    if (byte === quote) {
      position = endOfString(bytes, position);
      continue;
    }
    if (byte === slash) {
      position = endOfComment(bytes, position);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return position + 1;
    position += 1;
  }
  throw new RawJsonError('an object or array without an end', bytes, from);
}

function endOfLiteral(bytes: Buffer, from: number): number {
  let position = from;
  for (;;) {
    const byte = bytes[position];
    if (
      byte === undefined ||
      byte === comma ||
      byte === closeBrace ||
      byte === closeBracket ||
      isBlank(byte) ||
      byte === slash
    ) {
      if (position === from) throw new RawJsonError('a value is missing', bytes, from);
      return position;
    }
    position += 1;
  }
}

/** Receives a value's first byte and returns the position behind the value. */
type Visit<K extends unknown[]> = (...args: [...K, start: number]) => number;

/** Visits each member of the object that begins at `from`. @returns the position behind the object */
export function eachMember(bytes: Buffer, from: number, visit: Visit<[key: string]>): number {
  let position = expect(bytes, from, openBrace);
  if (bytes[position] === closeBrace) return position + 1;
  for (;;) {
    const keyEnd = endOfString(bytes, position);
    const key = textOf(bytes, position, keyEnd);
    position = skipBlanks(bytes, visit(key, expect(bytes, skipBlanks(bytes, keyEnd), colon)));
    if (bytes[position] === closeBrace) return position + 1;
    position = expect(bytes, position, comma);
  }
}

/** Visits each element of the array that begins at `from`. @returns the position behind the array */
export function eachElement(bytes: Buffer, from: number, visit: Visit<[]>): number {
  let position = expect(bytes, from, openBracket);
  if (bytes[position] === closeBracket) return position + 1;
  for (;;) {
    position = skipBlanks(bytes, visit(position));
    if (bytes[position] === closeBracket) return position + 1;
    position = expect(bytes, position, comma);
  }
}

function expect(bytes: Buffer, position: number, wanted: number): number {
  if (bytes[position] !== wanted) {
    throw new RawJsonError(`"${String.fromCharCode(wanted)}" is missing`, bytes, position);
  }
  return skipBlanks(bytes, position + 1);
}

/** The text of a JSON string, whose first and last bytes are its quotes. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  const inside = bytes.toString('utf8', start + 1, end - 1);
  if (!inside.includes('\\')) return inside;
  const decoded: unknown = JSON.parse(bytes.toString('utf8', start, end));
  return String(decoded);
}
