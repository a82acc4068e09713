/** Counts what happens too often for a log line each, and reports the numbers together. */
export interface Tally<K extends string> {
  note(kind: K): void;
  /** Reports what was counted since the last report. */
  close(): void;
}

/**
 * @param everyMs from the first count to the report of all
 * @param report gets the number for each kind that occurred
 */
export function createTally<K extends string>(
  everyMs: number,
  report: (counts: Readonly<Partial<Record<K, number>>>) => void,
): Tally<K> {
  const counts = new Map<K, number>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0) return;
    const told: Partial<Record<K, number>> = {};
    for (const [kind, count] of counts) told[kind] = count;
    counts.clear();
    report(told);
  };
  return {
    note(kind) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      // A pending report does not keep the process alive.
      timer ??= setTimeout(tell, everyMs).unref();
    },
    close: tell,
  };
}
