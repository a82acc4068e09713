import { hash, randomBytes } from 'node:crypto';
import { PrintMemory } from '@aosc/engine';

const mostBytes = 256 * 2 ** 20;
/** Share of the memory that the process may have. */
const largestShare = 0.25;

/**
 * Memory for prints of documents, which sweeps compare after lost snapshots. A process with a gigabyte has room for 15
 * million.
 */
export function createPrintMemory(): PrintMemory {
  // 0, or more than any machine has, where nothing bounds it.
  const bound = process.constrainedMemory() || Infinity;
  const salt = randomBytes(16).toString('hex');
  return new PrintMemory(Math.min(mostBytes, largestShare * bound), (text, content) =>
    digest(salt + text, content),
  );
}

/** Most documents fit into it: a buffer for each would double what a print costs. */
const joined = Buffer.allocUnsafeSlow(2 ** 20);
const nothing = new Uint8Array();

/** UTF-16, because UTF-8 has the same bytes for all lone surrogates. @returns the first 96 bits of a SHA-256 */
export function digest(text: string, content: Uint8Array = nothing): readonly [number, number, number] {
  const length = 2 * text.length + content.length;
  const bytes = length <= joined.length ? joined : Buffer.allocUnsafeSlow(length);
  bytes.set(content, bytes.write(text, 'utf16le'));
  // A buffer for it would cost more than the hash.
  const print = hash('sha256', bytes.subarray(0, length), 'binary');
  return [numberAt(print, 0), numberAt(print, 4), numberAt(print, 8)];
}

function numberAt(print: string, at: number): number {
  const high = print.charCodeAt(at + 3) * 2 ** 24;
  return high + ((print.charCodeAt(at + 2) << 16) | (print.charCodeAt(at + 1) << 8) | print.charCodeAt(at));
}
