import type { WriteBlock } from '@aosc/contract';

/**
 * The block as the scheduler writes it down before it asks for it; the caller adds the time of that write.
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
