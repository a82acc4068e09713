/** The smallest value that at least this share of all values does not exceed. @throws Error for an empty list */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}
