const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in its two largest units: 350 ms, 4.2 s, 3 min 12 s, 2 h 5 min, 3 d 4 h. */
export function formatDuration(ms: number): string {
  const size = Math.max(0, ms);
  if (size < second) return `${Math.round(size)} ms`;
  if (size < 10 * second) return `${(Math.floor(size / 100) / 10).toFixed(1)} s`;
  if (size < minute) return `${Math.floor(size / second)} s`;
  if (size < hour) return two(size, minute, 'min', second, 's');
  if (size < day) return two(size, hour, 'h', minute, 'min');
  return two(size, day, 'd', hour, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const first = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** How long ago, in one unit. */
export function formatAgo(ms: number): string {
  if (ms < 5 * second) return 'just now';
  if (ms < minute) return `${Math.floor(ms / second)} s ago`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < day) return `${Math.floor(ms / hour)} h ago`;
  return `${Math.floor(ms / day)} d ago`;
}

/** Date and time in the reader's zone, to the second. */
export function formatMoment(epochMillis: number, locale?: string, timeZone?: string): string {
  return momentFormat(locale, timeZone).format(epochMillis);
}

/** Building a formatter takes longer than a hundred texts by it, so the reader's is kept. */
let readersFormat: Intl.DateTimeFormat | undefined;
function momentFormat(locale: string | undefined, timeZone: string | undefined): Intl.DateTimeFormat {
  const options = { dateStyle: 'medium', timeStyle: 'medium', ...(timeZone && { timeZone }) } as const;
  if (locale !== undefined || timeZone !== undefined) return new Intl.DateTimeFormat(locale, options);
  readersFormat ??= new Intl.DateTimeFormat(undefined, options);
  return readersFormat;
}

/** The exact moment, for a reader who compares it with a log. */
export function formatExactMoment(epochMillis: number): string {
  return new Date(epochMillis).toISOString();
}

/** A moment below an axis, no finer than the axis is: 14:05:30, 14:05, or 23 Nov. @param stepMs from one to the next */
export function formatTick(epochMillis: number, stepMs: number, locale?: string, timeZone?: string): string {
  const options: Intl.DateTimeFormatOptions =
    stepMs >= day
      ? { day: 'numeric', month: 'short' }
      : { hour: '2-digit', minute: '2-digit', ...(stepMs < minute && { second: '2-digit' }), hour12: false };
  return new Intl.DateTimeFormat(locale, { ...options, ...(timeZone && { timeZone }) }).format(epochMillis);
}
