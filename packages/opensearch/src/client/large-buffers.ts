const min = 256 * 1024;
const mostKeptBytes = 64 * 1024 * 1024;

/** Kept for the next caller of `takeLargeBuffer`; the latest is at the end. */
const kept: ArrayBuffer[] = [];
let keptBytes = 0;

/**
 * A buffer of that many bytes with arbitrary content. Pages and bulks are of some megabytes each, and V8 collects
 * garbage whenever 64 MB of such memory were allocated since the last time, however little of it is garbage: this took
 * a quarter of the worker's time. So this reuses returned buffers.
 */
export function takeLargeBuffer(bytes: number): Buffer {
  if (bytes < min) return Buffer.allocUnsafeSlow(bytes);
  const found = kept.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= 4 * bytes);
  const [reused] = found === -1 ? [] : kept.splice(found, 1);
  if (reused === undefined) return Buffer.allocUnsafeSlow(Math.ceil(bytes / min) * min).subarray(0, bytes);
  keptBytes -= reused.byteLength;
  return Buffer.from(reused, 0, bytes);
}

/** Returns a buffer of {@link takeLargeBuffer}. No code, and no socket either, may read or write it any more. */
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
