import { matchTableBytes } from '@aosc/domain';

/** A hash spreads the documents over the parts: the largest part has a little more than its share. */
const mostUneven = 1.05;
export const leastSpare = 1000;

/**
 * In how many parts a group is compared: the table of each takes at the most half of a worker's memory for prints, which
 * sweeps need as well. A part is what a killed checker leaves to be read again.
 */
export function partsFor(documents: number, memoryBytes: number): number {
  const most = memoryBytes / 2;
  if (matchTableBytes(documents) <= most) return 1;
  const forShares = Math.max(1, most - matchTableBytes(leastSpare));
  return Math.ceil(matchTableBytes(documents * mostUneven) / forShares);
}

/** The most documents that a part may have. */
export function capacityOf(documents: number, parts: number): number {
  return parts === 1 ? documents : Math.ceil((documents / parts) * mostUneven) + leastSpare;
}
