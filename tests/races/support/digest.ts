import { createHash } from 'node:crypto';

/** As the worker makes prints of documents, but without its salt. */
export function digest(
  text: string,
  content: Uint8Array = new Uint8Array(),
): readonly [number, number, number] {
  const bytes = createHash('sha256').update(Buffer.from(text, 'utf16le')).update(content).digest();
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
}
