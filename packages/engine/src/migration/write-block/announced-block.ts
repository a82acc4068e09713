import type { WriteBlock } from '@aosc/contract';

/**
 * The record's entry for a block, which the scheduler writes before it asks for the block. The caller adds the time of
 * that write.
 * @param late the block of an ended migration, found on the source. This migration takes the block over, because
 *   otherwise no migration would lift it
 * @param found `index.blocks.write` of the source
 */
export function announcedBlock(
  found: string | undefined,
  late: WriteBlock | undefined,
): Omit<WriteBlock, 'requestedAtMillis'> {
  const original = late === undefined ? found : late.original;
  return {
    ...(original === undefined ? {} : { original }),
    usersOwn: original === 'true',
    confirmed: false,
    lifted: false,
  };
}
