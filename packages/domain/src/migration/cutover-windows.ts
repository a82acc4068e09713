import { type ResolvedOptions, weekdays } from '@aosc/contract';

export type Window = NonNullable<ResolvedOptions['cutoverWindows']>[number];

const minuteMs = 60_000;
const dayMinutes = 1440;

/** Made once each: a format costs more than all that is asked of it. */
const formats = new Map<string, Intl.DateTimeFormat>();
const maxFormats = 100;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  if (formats.size >= maxFormats) formats.clear();
  formats.set(timeZone, made);
  return made;
}

/** @returns whether the runtime knows the zone, by a name and not by an offset of its own invention */
export function isTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

interface LocalTime {
  /** index in `weekdays` */
  readonly day: number;
  readonly minute: number;
}

function localTime(millis: number, timeZone: string): LocalTime {
  const parts = formatOf(timeZone).formatToParts(millis);
  const read = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? '';
  return {
    day: weekdays.findIndex((day) => day === read('weekday').toLowerCase()),
    minute: Number(read('hour')) * 60 + Number(read('minute')),
  };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Whether the window opens on the day that lies so many days back. */
function opensOn({ days }: Window, today: number, daysBack: number): boolean {
  const day = weekdays[(today - daysBack + weekdays.length) % weekdays.length];
  return days === undefined || (day !== undefined && days.includes(day));
}

/** A window that is open past midnight belongs to the day on which it has opened. */
export function isOpen(window: Window, nowMillis: number): boolean {
  const { day, minute } = localTime(nowMillis, window.timeZone ?? 'UTC');
  const [from, to] = [minuteOf(window.from), minuteOf(window.to)];
  if (from < to) return opensOn(window, day, 0) && minute >= from && minute < to;
  return (minute >= from && opensOn(window, day, 0)) || (minute < to && opensOn(window, day, 1));
}

/**
 * When one of the windows opens next. A day on which clocks are changed may put it off by the change: it is shown to people,
 * and `isOpen` decides.
 * @returns epoch milliseconds
 */
export function nextOpening(windows: readonly Window[], nowMillis: number): number | undefined {
  const openings = windows.flatMap((window) => {
    const zone = window.timeZone ?? 'UTC';
    const { day, minute } = localTime(nowMillis, zone);
    const thisMinute = nowMillis - (nowMillis % minuteMs);
    // A week from now the same day comes again: its window may have been today, and be over.
    for (let ahead = 0; ahead <= weekdays.length; ahead++) {
      const inMinutes = ahead * dayMinutes + minuteOf(window.from) - minute;
      if (inMinutes <= 0 || !opensOn(window, day, -ahead)) continue;
      const found = thisMinute + inMinutes * minuteMs;
      // Where the clocks are changed until then, the local time is off by the change.
      const off = localTime(found, zone).minute - minuteOf(window.from);
      const shift = off > dayMinutes / 2 ? off - dayMinutes : off < -dayMinutes / 2 ? off + dayMinutes : off;
      return [found - shift * minuteMs];
    }
    return [];
  });
  return openings.length === 0 ? undefined : Math.min(...openings);
}
