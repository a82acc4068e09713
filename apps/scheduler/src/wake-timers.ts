/** One pending wake-up per migration; the earliest wins. */
export function createWakeTimers(wake: (key: string) => void): {
  wakeLater(key: string, delayMs: number): void;
  stop(): void;
} {
  const timers = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  return {
    wakeLater(key, delayMs) {
      const at = performance.now() + delayMs;
      const pending = timers.get(key);
      if (pending !== undefined && pending.at <= at) return;
      clearTimeout(pending?.timer);
      const timer = setTimeout(() => {
        timers.delete(key);
        wake(key);
      }, delayMs);
      timers.set(key, { at, timer });
    },
    stop() {
      for (const { timer } of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
