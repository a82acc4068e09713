import type { Page } from 'playwright-core';

/** Counts from the first drawing on what moves by itself: not what follows a press within half a second. */
const observe = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      const what = sources.map(({ node }) => node?.className || node?.nodeName).join(', ');
      globalThis.shifts.push({ value, startTime, what });
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

interface Shift {
  readonly value: number;
  /** ms since the page was opened */
  readonly startTime: number;
  /** classes of what has moved */
  readonly what: string;
}

/** To be called before the page is opened. */
export function watchShifts(page: Page): Promise<unknown> {
  return page.addInitScript(observe);
}

/** A window of shifts ends after a second without one, or after five. */
const [pauseMs, windowMs] = [1_000, 5_000];

/** The cumulative layout shift as browsers report it: that of the worst window. */
export async function readShift(
  page: Page,
): Promise<{ readonly worst: number; readonly shifts: readonly Shift[] }> {
  const shifts = await page.evaluate<readonly Shift[]>('globalThis.shifts');
  let [worst, sum, first, last] = [0, 0, -Infinity, -Infinity];
  for (const { value, startTime } of shifts) {
    const isNew = startTime - last > pauseMs || startTime - first > windowMs;
    if (isNew) [sum, first] = [0, startTime];
    sum += value;
    last = startTime;
    worst = Math.max(worst, sum);
  }
  return { worst, shifts };
}
