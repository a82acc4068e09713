/**
 * Repeats a task at an interval, never twice at once: a tick that takes longer than the interval delays the next.
 * @param onError gets the error of a failed tick
 */
export function startTicks(
  intervalMs: number,
  tick: () => Promise<void>,
  onError: (error: unknown) => void,
): { stop(): void } {
  let ticking = false;
  const timer = setInterval(() => {
    if (ticking) return;
    ticking = true;
    tick()
      .catch(onError)
      .finally(() => (ticking = false));
  }, intervalMs);
  return { stop: () => clearInterval(timer) };
}
