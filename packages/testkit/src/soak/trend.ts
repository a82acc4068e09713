/** What a figure may do from one migration to the next and be no leak. */
export interface Limits {
  /** so much more with every migration, on and on, is a leak */
  readonly perMigration: number;
  /** what goes up by less than this in the whole soak is taken for noise */
  readonly inAll: number;
}

/** A line through the values, one of which comes with each migration. */
export interface Line {
  /** change from one value to the next */
  readonly slope: number;
  /** how far the slope may well be off: one standard error */
  readonly error: number;
}

/** So many errors above the slope is more than it can be. */
const surelyBelow = 3;
/** Fewer values show no line. */
const leastLately = 6;

/**
 * Whether the values grow: as a whole by more than both limits, to an end that is above the beginning (as that of a long
 * way up and one fall is not), and not when the last third of them stays as it is: that is something that was taken
 * once, as connections for the greatest crowd so far are.
 */
export function grows(values: readonly number[], { perMigration, inAll }: Limits): boolean {
  const { slope } = fitLine(values);
  if (slope < perMigration || slope * (values.length - 1) < inAll) return false;
  const { first, last } = ends(values);
  if (last - first < inAll / 3) return false;
  const lately = fitLine(values.slice(-Math.max(leastLately, Math.floor(values.length / 3))));
  return lately.slope + surelyBelow * lately.error >= perMigration;
}

/** The medians of the first third, of the second, and of the last. */
export function ends(values: readonly number[]): {
  readonly first: number;
  readonly middle: number;
  readonly last: number;
} {
  const third = Math.floor(values.length / 3);
  return {
    first: median(values.slice(0, third)),
    middle: median(values.slice(third, -third)),
    last: median(values.slice(-third)),
  };
}

/** The slope of the least leak that so many values would show. */
export function leastVisible({ perMigration, inAll }: Limits, count: number): number {
  return Math.max(perMigration, inAll / (count - 1));
}

/**
 * By Theil and Sen: the median slope of all pairs. Some values that are far off do not change it, and no direction of
 * the noise is assumed. @param values two at least
 */
export function fitLine(values: readonly number[]): Line {
  const slopes = values.flatMap((from, n) =>
    values.slice(n + 1).map((to, further) => (to - from) / (further + 1)),
  );
  const slope = median(slopes);
  const residuals = values.map((value, n) => value - slope * n);
  const level = mean(residuals);
  const middle = (values.length - 1) / 2;
  const squares = sum(residuals.map((residual) => (residual - level) ** 2));
  const spread = sum(values.map((_, n) => (n - middle) ** 2));
  return { slope, error: Math.sqrt(squares / Math.max(1, values.length - 2) / spread) };
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
