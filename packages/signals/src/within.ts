/**
 * Waits at most so many milliseconds for work that can't be ended.
 * @returns undefined when the work has not ended by then: it goes on, but the caller no longer waits for it
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
