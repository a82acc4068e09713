import type { WriteBlock } from '@aosc/contract';

/**
 * The block that is going to be asked for, as it is written down before; its time is that of the writing.
 * @param found `index.blocks.write` of the source
 * @param late the block of a migration that has ended and was found there: it is taken over, or nobody would lift it
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
