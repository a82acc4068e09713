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

/**
 * The one of two looks at a record that shows more of its history. The second may be answered by a copy that does not have
 * yet what the primary has shown the first.
 */
export function laterOf<R extends { readonly transitionHistory: readonly unknown[] }>(
  first: R,
  second: R,
): R {
  return second.transitionHistory.length < first.transitionHistory.length ? first : second;
}
