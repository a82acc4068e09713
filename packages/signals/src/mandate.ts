import { timeLimit } from './time-limit';

/** A process's right to change something for a while. */
export interface Mandate {
  /** fires when the time is over, or for the reason of one of the others */
  readonly signal: AbortSignal;
  /** @throws when the time is over by one of the clocks, though the signal's timer may still be due */
  readonly assertMandate: () => void;
}

/**
 * Starts a mandate on two clocks, of which the later one counts: the clock that never jumps stands still while the
 * machine sleeps, and timers with it; the wall clock can be put back.
 * @param clock both in milliseconds
 */
export function createMandate(
  limitMs: number,
  clock: { now(): number; monotonic(): number },
  ...others: readonly AbortSignal[]
): Mandate {
  const late = new AbortController();
  const signal = timeLimit(limitMs, late.signal, ...others);
  const begun = { wall: clock.now(), monotonic: clock.monotonic() };
  return {
    signal,
    assertMandate() {
      const age = Math.max(clock.now() - begun.wall, clock.monotonic() - begun.monotonic);
      if (age >= limitMs) late.abort(new DOMException(`It took longer than ${limitMs} ms`, 'TimeoutError'));
      signal.throwIfAborted();
    },
  };
}
