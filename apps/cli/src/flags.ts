import { ownValue } from '@aosc/contract';
import { InvalidArgumentError } from 'commander';

/** The values of a command's flags, each as the type that its declaration gives it. */
export class Flags {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  text(name: string): string | undefined {
    const value = ownValue(this.values, name);
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = ownValue(this.values, name);
    return typeof value === 'number' ? value : undefined;
  }

  /** Also true for a flag with `--no-` that is not given. */
  isOn(name: string): boolean {
    return ownValue(this.values, name) === true;
  }

  list(name: string): readonly string[] {
    const value = ownValue(this.values, name);
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }
}

const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

const mostDays = 24;

/** A time like 500ms, 90s, 10m, 2h, of no more than a timer takes. @returns milliseconds */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  const unit = units.get(match?.[2] ?? '');
  if (match === null || unit === undefined)
    throw new InvalidArgumentError('Expected a time like 500ms, 90s, 10m or 2h.');
  const millis = Number(match[1]) * unit;
  if (millis > mostDays * 86_400_000) throw new InvalidArgumentError(`Expected at most ${mostDays}d.`);
  return millis;
}

/** A whole number that is not negative. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** A flag that may be given more than once. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
