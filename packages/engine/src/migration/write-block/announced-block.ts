import type { WriteBlock } from '@aosc/contract';

/**
 * The block that the scheduler is going to ask for, as it writes it down before; its time is that of the writing.
 * @param found `index.blocks.write` of the source
 * @param late the block of a migration that has ended, found on the source: this migration takes it over, or it would
 *   stay
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
