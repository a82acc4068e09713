import { endOfComment, endOfString } from '../raw-json';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;
const quote = 0x22;
const slash = 0x2f;

/**
 * The bytes that two equal `_source`s have in common. A document that went through NDJSON has a blank wherever
 * its original had a line break between tokens, one for one; that is the only difference allowed. Blanks around
 * the value are not part of it (the caller cuts the value out). Inside a string nothing is changed.
 * @param value from the value's first byte to its last
 */
export function normaliseSource(value: Buffer): Buffer {
  if (!value.includes(lineFeed) && !value.includes(carriageReturn)) return value;
  const normalised = Buffer.from(value);
  let position = 0;
  while (position < normalised.length) {
    const byte = value[position];
    if (byte === quote) {
      position = endOfString(value, position);
      continue;
    }
    // a comment may hold a lone quote mark, so it is not read as tokens
    const end = byte === slash ? endOfComment(value, position) : position + 1;
    for (; position < end; position += 1) {
      if (value[position] === lineFeed || value[position] === carriageReturn) normalised[position] = blank;
    }
  }
  return normalised;
}
