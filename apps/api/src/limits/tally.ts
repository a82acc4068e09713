/** Counts what happens too often for a log line each, and tells the numbers together. */
export interface Tally<K extends string> {
  note(kind: K): void;
  /** Tells what was counted and not told yet. */
  close(): void;
}

/**
 * @param everyMs from the first that is counted to the report of all
 * @param report gets the number of each kind that there was
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
      // Nothing waits for a report: the process may end before it.
      timer ??= setTimeout(tell, everyMs).unref();
    },
    close: tell,
  };
}
