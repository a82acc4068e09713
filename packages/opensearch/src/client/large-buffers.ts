const min = 256 * 1024;
const mostKeptBytes = 64 * 1024 * 1024;

/** Kept for the next taker, the one given back last at the end. */
const kept: ArrayBuffer[] = [];
let keptBytes = 0;

/**
 * A buffer of that many bytes with arbitrary content. Pages and bulks are of some megabytes each, and V8 collects
 * garbage whenever 64 MB of such memory were allocated since the last time, however little of it is garbage: a
 * quarter of the worker's time. So those that were given back are used again.
 */
export function takeLargeBuffer(bytes: number): Buffer {
  if (bytes < min) return Buffer.allocUnsafeSlow(bytes);
  const found = kept.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= 4 * bytes);
  const [reused] = found === -1 ? [] : kept.splice(found, 1);
  if (reused === undefined) return Buffer.allocUnsafeSlow(Math.ceil(bytes / min) * min).subarray(0, bytes);
  keptBytes -= reused.byteLength;
  return Buffer.from(reused, 0, bytes);
}

/** Gives back what {@link takeLargeBuffer} gave. Nobody may read it or write it any more, no socket either. */
export function giveLargeBuffer(buffer: Buffer): void {
  const { buffer: memory } = buffer;
  if (!(memory instanceof ArrayBuffer) || memory.byteLength < min) return;
  while (keptBytes + memory.byteLength > mostKeptBytes) {
    const oldest = kept.shift();
    if (oldest === undefined) return;
    keptBytes -= oldest.byteLength;
  }
  kept.push(memory);
  keptBytes += memory.byteLength;
}
