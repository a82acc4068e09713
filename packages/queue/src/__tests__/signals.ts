/** A number that a test can wait for. */
export interface Counter {
  add(): void;
  readonly count: number;
  reaches(at: number): Promise<void>;
}

export function createCounter(): Counter {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  return {
    add() {
      count += 1;
      for (const { at, resolve } of waiting) if (count >= at) resolve();
    },
    get count() {
      return count;
    },
    reaches: (at) =>
      count >= at ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ at, resolve })),
  };
}

/** A door that closes again behind each caller that waits at it. */
export function createDoor(): { readonly opened: Promise<void>; open(): void } {
  let release: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (release = resolve));
  return { opened, open: () => release() };
}
