/** Between two lines of the same trouble: longer after each. */
const pauseMs = { first: 2_000, longest: 300_000 };
/** Texts of errors that are known: those of a connection are few. */
const maxTexts = 20;

interface Told {
  /** told again from here on */
  readonly nextAt: number;
  readonly pauseMs: number;
  readonly silent: number;
}

/**
 * Tells a trouble that comes again and again when it is new, and then after pauses that grow to five minutes. A
 * connection that tries again every two seconds has nothing new to say.
 * @param tell gets how many times it was not told since the last line
 * @param now in ms; only differences matter
 * @returns takes the subject of the trouble beside it: that of another subject is another trouble
 */
export function tellSeldom(
  tell: (error: Error, silent: number) => void,
  now: () => number,
  maxKnown = maxTexts,
): (error: Error, subject?: string) => void {
  const told = new Map<string, Told>();
  return (error, subject = '') => {
    const at = now();
    const key = `${subject} ${error.message}`;
    const before = told.get(key);
    // One that was away for longer than its pause is new again.
    const isNew = before === undefined || at - before.nextAt > before.pauseMs;
    if (!isNew && at < before.nextAt) {
      told.set(key, { ...before, silent: before.silent + 1 });
      return;
    }
    const next = isNew ? pauseMs.first : Math.min(2 * before.pauseMs, pauseMs.longest);
    if (told.size >= maxKnown) told.clear();
    told.set(key, { nextAt: at + next, pauseMs: next, silent: 0 });
    tell(error, isNew ? 0 : before.silent);
  };
}
