/** Between two lines of the same error; each pause is longer than the last. */
const pauseMs = { first: 2_000, longest: 300_000 };
/** The most error texts to remember; connections have only a few. */
const maxTexts = 20;

interface Known {
  /** when the next line is due */
  readonly nextAt: number;
  readonly pauseMs: number;
  readonly silent: number;
}

/**
 * Logs a repeated error when it is new, and then after pauses that grow to five minutes: a connection that retries
 * every two seconds has nothing new to say.
 * @param log gets how many times the error was left out since the last line, and its subject
 * @param now in ms; only differences matter
 * @returns takes an error and its subject: the same error of another subject is a different one
 */
export function logSeldom(
  log: (error: Error, silent: number, subject: string) => void,
  now: () => number,
  maxKnown = maxTexts,
): (error: Error, subject?: string) => void {
  const known = new Map<string, Known>();
  return (error, subject = '') => {
    const at = now();
    const key = `${subject} ${error.message}`;
    const before = known.get(key);
    // An error that was away for longer than its pause is new again.
    const isNew = before === undefined || at - before.nextAt > before.pauseMs;
    if (!isNew && at < before.nextAt) {
      known.set(key, { ...before, silent: before.silent + 1 });
      return;
    }
    const next = isNew ? pauseMs.first : Math.min(2 * before.pauseMs, pauseMs.longest);
    if (known.size >= maxKnown) known.clear();
    known.set(key, { nextAt: at + next, pauseMs: next, silent: 0 });
    log(error, isNew ? 0 : before.silent, subject);
  };
}
