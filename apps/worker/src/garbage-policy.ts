import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** How far the heap may grow beyond what is in use before V8 collects the old part of it, in percent. */
const growingPercent = 200;
/** V8 decides by itself. */
const asUsual = 0;
/**
 * Above this, memory is worth more than time. It covers all that the worker holds, buffers included: a few shards with
 * a few bulks each.
 */
const mostHeldBytes = 128 * 2 ** 20;
const lookEveryMs = 2000;

/** @param heldBytes of the heap and of buffers beside it @returns percent for `--heap-growing-percent` */
export function growthFor(heldBytes: number): number {
  return heldBytes > mostHeldBytes ? asUsual : growingPercent;
}

/**
 * Makes V8 collect garbage less often while the worker is small. Each answer comes in pieces of 64 KB, which are copied
 * into a reused buffer and then are garbage. V8 counts them as growth of a heap that holds 30 MB, and by default marks
 * that heap every 8 MB of answers: a copy of 300,000 documents took 19 such collections and 1.8 s of the worker's CPU,
 * now 3 and 1.2 s, for 25 MB more of memory.
 *
 * V8 reads the number at each collection, so the process can set it while it runs.
 * @returns what ends the looks
 */
export function collectGarbageLater(): () => void {
  let percent = asUsual;
  const look = (): void => {
    const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
    const wanted = growthFor(heap + buffers);
    if (wanted !== percent) setFlagsFromString(`--heap-growing-percent=${wanted}`);
    percent = wanted;
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  return () => clearInterval(timer);
}
