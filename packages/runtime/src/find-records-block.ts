import type { Call } from '@aosc/engine';
import { systemIndex } from '@aosc/store';

/**
 * What keeps the service from writing its records, which it can't work without: a block of the whole cluster, or of their index.
 * @returns what it is and what to do; undefined: nothing does
 */
export async function findRecordsBlock(
  findWriteBlocks: (index: string, call: Call) => Promise<readonly string[]>,
  call: Call,
): Promise<string | undefined> {
  const blocks = await findWriteBlocks(systemIndex, call);
  if (blocks.length === 0) return undefined;
  return `the service can't write its records: ${blocks.join(', ')} keeps it from them. Take the block away`;
}
