/**
 * The phase of a history at a time.
 * @param history in its order. Where the clock of the service was put back, an entry begins before the one before it:
 *   that happened after the fault, so the rest is later than any time that is asked for
 * @param at epoch ms, true time
 */
export function phaseAt<P>(
  history: readonly { readonly phase: P; readonly startTimeMillis: number }[],
  at: number,
): P | undefined {
  let found: P | undefined;
  let before = -Infinity;
  for (const { phase, startTimeMillis } of history) {
    if (startTimeMillis > at || startTimeMillis < before) break;
    found = phase;
    before = startTimeMillis;
  }
  return found;
}
