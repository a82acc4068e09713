import { hash, randomBytes } from 'node:crypto';
import { PrintRoom } from '@aosc/engine';

const mostBytes = 256 * 2 ** 20;
/** Share of the memory that the process may have. */
const largestShare = 0.25;

/**
 * Room for prints of documents, which sweeps compare after lost snapshots. A process with a gigabyte has room for 15
 * million.
 */
export function createPrintRoom(): PrintRoom {
  // 0, or more than any machine has, where nothing bounds it.
  const bound = process.constrainedMemory() || Infinity;
  const salt = randomBytes(16).toString('hex');
  return new PrintRoom(Math.min(mostBytes, largestShare * bound), (text) => digest(salt + text));
}

/** UTF-16, because UTF-8 has the same bytes for all lone surrogates. @returns the first 96 bits of a SHA-256 */
export function digest(text: string): readonly [number, number, number] {
  const bytes = hash('sha256', Buffer.from(text, 'utf16le'), 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
}
