/**
 * Does the same again and again, and never twice at once: a tick that takes longer than the interval puts off the next.
 * @param onError is told why a tick has failed
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
