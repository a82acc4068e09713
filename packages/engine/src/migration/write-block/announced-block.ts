import type { WriteBlock } from '@aosc/contract';

/**
 * The record's entry for a block, which the scheduler writes before it asks for the block. The caller adds the time of
 * that write.
 * @param late an earlier block of the service that has landed late on the source: of an ended migration, or of an
 *   undone attempt. This attempt takes the block over, because otherwise no migration would lift it
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
