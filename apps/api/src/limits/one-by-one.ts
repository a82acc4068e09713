/** Does pieces of work one after the other, in the order in which they came. How many wait is up to those who give them. */
export interface OneByOne {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createOneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const done = last.then(work);
      // The next one waits for its end, however it ends.
      last = done.catch(() => undefined);
      return done;
    },
  };
}
